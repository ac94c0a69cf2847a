// The output of one command, for its card: no other is rendered anew with it.
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { CommandOutput, OutputPiece } from './command-output.ts';

const CommandOutputContext = createContext<CommandOutput | undefined>(undefined);

export const CommandOutputProvider = CommandOutputContext.Provider;

/** What the command has said since the page was opened. */
export function useCommandOutput(callId: string): readonly OutputPiece[] {
  const output = useContext(CommandOutputContext);
  if (output === undefined) throw new Error('useCommandOutput is called outside of a conversation.');
  const subscribe = useCallback(
    (listener: () => void) => output.subscribe(callId, listener),
    [output, callId],
  );
  return useSyncExternalStore(subscribe, () => output.of(callId));
}
