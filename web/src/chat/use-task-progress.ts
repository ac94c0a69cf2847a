// The progress of one sub-agent, for its card: no other is rendered anew with it.
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { SubagentProgress, TaskProgress } from './subagent-progress.ts';

const SubagentProgressContext = createContext<SubagentProgress | undefined>(undefined);

export const SubagentProgressProvider = SubagentProgressContext.Provider;

/** What is known of the sub-agent that the call began; undefined where its run told nothing of it. */
export function useTaskProgress(callId: string): TaskProgress | undefined {
  const progress = useContext(SubagentProgressContext);
  if (progress === undefined) throw new Error('useTaskProgress is called outside of a conversation.');
  const subscribe = useCallback(
    (listener: () => void) => progress.subscribe(callId, listener),
    [progress, callId],
  );
  return useSyncExternalStore(subscribe, () => progress.of(callId));
}
