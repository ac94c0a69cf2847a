// What the commands of a conversation say while they run, as the stream of its runs tells.
import * as z from 'zod/mini';

export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface CommandOutput {
  /** Takes a custom event of a run; those that tell nothing of commands are passed over. */
  readonly tell: (event: unknown) => void;
  /** Neighbours are of different streams. */
  readonly of: (callId: string) => readonly OutputPiece[];
  readonly subscribe: (callId: string, listener: () => void) => () => void;
}

const eventSchema = z.object({
  type: z.literal('command_output'),
  tool_call_id: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
});

const NOTHING: readonly OutputPiece[] = [];

export function createCommandOutput(): CommandOutput {
  const outputs = new Map<string, readonly OutputPiece[]>();
  const listeners = new Map<string, Set<() => void>>();
  return {
    tell: (event) => {
      const { success, data } = z.safeParse(eventSchema, event);
      if (!success) return;
      const { tool_call_id: callId, stream, text } = data;
      outputs.set(callId, joined(outputs.get(callId) ?? NOTHING, { stream, text }));
      for (const listener of listeners.get(callId) ?? []) listener();
    },
    of: (callId) => outputs.get(callId) ?? NOTHING,
    subscribe: (callId, listener) => {
      const own = listeners.get(callId) ?? new Set();
      listeners.set(callId, own.add(listener));
      return () => own.delete(listener);
    },
  };
}

function joined(pieces: readonly OutputPiece[], piece: OutputPiece): readonly OutputPiece[] {
  const last = pieces.at(-1);
  if (last?.stream !== piece.stream) return [...pieces, piece];
  return [...pieces.slice(0, -1), { ...last, text: last.text + piece.text }];
}
