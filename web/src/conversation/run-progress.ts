// Reports of a run besides its messages. Each card subscribes to its own call, so that other cards do not
// render.
import { createContext, useCallback, useContext, useState, useSyncExternalStore } from 'react';
import {
  type CommandOutput,
  createCommandOutput,
  type OutputPiece,
  type ToolProgress,
} from './command-output.ts';
import { useModelFallbacks, useProviderPause } from './provider-events.ts';
import { createSubagentProgress, type SubagentProgress, type TaskProgress } from './subagents.ts';

/**
 * Collects the progress of sub-agents, commands and model calls in a conversation. `onRunEvent` handles each
 * custom event.
 */
export function useRunProgress() {
  const [subagents] = useState(createSubagentProgress);
  const [commands] = useState(createCommandOutput);
  const { onEvent: onPauseEvent, pauseIn } = useProviderPause();
  const { onEvent: onFallbackEvent, fallbacksIn } = useModelFallbacks();
  const onRunEvent = (event: unknown) => {
    subagents.onEvent(event);
    commands.onEvent(event);
    onPauseEvent(event);
    onFallbackEvent(event);
  };
  return { subagents, commands, pauseIn, fallbacksIn, onRunEvent };
}

const SubagentProgressContext = createContext<SubagentProgress | undefined>(undefined);

export const SubagentProgressProvider = SubagentProgressContext.Provider;

/** Returns the progress of the sub-agent that the call started. Undefined when its run has reported none. */
export function useTaskProgress(callId: string): TaskProgress | undefined {
  const progress = useContext(SubagentProgressContext);
  if (progress === undefined) throw new Error('useTaskProgress is called outside of a conversation.');
  const subscribe = useCallback(
    (listener: () => void) => progress.subscribe(callId, listener),
    [progress, callId],
  );
  return useSyncExternalStore(subscribe, () => progress.of(callId));
}

const CommandOutputContext = createContext<CommandOutput | undefined>(undefined);

export const CommandOutputProvider = CommandOutputContext.Provider;

/** Returns the output of the command since the page was opened. */
export function useCommandOutput(callId: string): readonly OutputPiece[] {
  return useSaid(callId, (output) => output.of(callId));
}

/** Returns the last progress that the tool reported since the page was opened. */
export function useToolProgress(callId: string): ToolProgress | undefined {
  return useSaid(callId, (output) => output.progressOf(callId));
}

function useSaid<T>(callId: string, read: (output: CommandOutput) => T): T {
  const output = useContext(CommandOutputContext);
  if (output === undefined) throw new Error('The output of calls is read outside of a conversation.');
  const subscribe = useCallback(
    (listener: () => void) => output.subscribe(callId, listener),
    [output, callId],
  );
  return useSyncExternalStore(subscribe, () => read(output));
}
