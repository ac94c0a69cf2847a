// What one call says while it runs, for its card: no other is rendered anew with it.
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { CommandOutput, OutputPiece, ToolProgress } from './command-output.ts';

const CommandOutputContext = createContext<CommandOutput | undefined>(undefined);

export const CommandOutputProvider = CommandOutputContext.Provider;

/** What the command has said since the page was opened. */
export function useCommandOutput(callId: string): readonly OutputPiece[] {
  return useSaid(callId, (output) => output.of(callId));
}

/** How far the tool is, as far as it told since the page was opened. */
export function useToolProgress(callId: string): ToolProgress | undefined {
  return useSaid(callId, (output) => output.progressOf(callId));
}

function useSaid<T>(callId: string, read: (output: CommandOutput) => T): T {
  const output = useContext(CommandOutputContext);
  if (output === undefined) throw new Error('What calls say is read outside of a conversation.');
  const subscribe = useCallback(
    (listener: () => void) => output.subscribe(callId, listener),
    [output, callId],
  );
  return useSyncExternalStore(subscribe, () => read(output));
}
