// What a person can do with a turn that was said; the same object for the life of a conversation.
import { createContext, useContext, useMemo, useRef } from 'react';
import type { BranchFiles } from './submission.ts';
import type { Edit } from './use-conversation.ts';

export interface TurnActions {
  readonly threadId: string | undefined;
  /** Says something else instead of the message. */
  readonly edit: (change: Edit) => void;
  /** Answers the message anew. */
  readonly regenerate: (messageId: string, files: BranchFiles) => void;
  /** Whether files may have changed since the message was said. */
  readonly mayHaveChangedFiles: (messageId: string) => boolean;
  /** Another branch of the fork is shown now: the thread is to be read again. */
  readonly reload: (forkId: string) => void;
  /** Whether the conversation was opened anew from this fork; true once. */
  readonly isArrival: (forkId: string) => boolean;
}

const TurnActionsContext = createContext<TurnActions | undefined>(undefined);

export const TurnActionsProvider = TurnActionsContext.Provider;

export function useTurnActions(): TurnActions {
  const actions = useContext(TurnActionsContext);
  if (actions === undefined) throw new Error('useTurnActions is called outside of a conversation.');
  return actions;
}

/** Always calls the newest functions, and changes with the thread only: turns are not rendered for nothing. */
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
