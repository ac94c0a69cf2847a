// The actions on a turn of the conversation. The object stays the same for the lifetime of a conversation.
import { createContext, useContext, useMemo, useRef } from 'react';
import type { BranchFiles } from './submission.ts';
import type { Edit } from './use-conversation.ts';

export interface TurnActions {
  readonly threadId: string | undefined;
  /** Replaces the message. */
  readonly edit: (change: Edit) => void;
  /** Generates another reply to the message. */
  readonly regenerate: (messageId: string, files: BranchFiles) => void;
  /** Whether files may have changed since the message was sent. */
  readonly mayHaveChangedFiles: (messageId: string) => boolean;
  /** Loads the thread again after the person has selected another branch of the fork. */
  readonly reload: (forkId: string) => void;
  /** Whether the conversation was reopened from this fork. True only once. */
  readonly isArrival: (forkId: string) => boolean;
}

const TurnActionsContext = createContext<TurnActions | undefined>(undefined);

export const TurnActionsProvider = TurnActionsContext.Provider;

export function useTurnActions(): TurnActions {
  const actions = useContext(TurnActionsContext);
  if (actions === undefined) throw new Error('useTurnActions is called outside of a conversation.');
  return actions;
}

/**
 * Returns actions that always call the newest functions but change only with the thread, so that turns do not
 * render needlessly.
 */
export function useStableTurnActions(actions: TurnActions): TurnActions {
  const latest = useRef(actions);
  latest.current = actions;
  const { threadId } = actions;
  return useMemo(
    () => ({
      threadId,
      edit: (change) => latest.current.edit(change),
      regenerate: (messageId, files) => latest.current.regenerate(messageId, files),
      mayHaveChangedFiles: (messageId) => latest.current.mayHaveChangedFiles(messageId),
      reload: (forkId) => latest.current.reload(forkId),
      isArrival: (forkId) => latest.current.isArrival(forkId),
    }),
    [threadId],
  );
}
