// What the calls of a conversation say while they run, as the stream of its runs tells: commands their output, tools of
// servers how far they are.
import * as z from 'zod/mini';

export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** How far a tool of a server is. */
export interface ToolProgress {
  readonly done: number;
  /** Undefined where the server does not say how much there is. */
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export interface CommandOutput {
  /** Takes a custom event of a run; those that tell nothing of calls are passed over. */
  readonly tell: (event: unknown) => void;
  /** Neighbours are of different streams. */
  readonly of: (callId: string) => readonly OutputPiece[];
  /** The newest. */
  readonly progressOf: (callId: string) => ToolProgress | undefined;
  readonly subscribe: (callId: string, listener: () => void) => () => void;
}

const outputSchema = z.object({
  type: z.literal('command_output'),
  tool_call_id: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
});

const progressSchema = z.object({
  type: z.literal('tool_progress'),
  tool_call_id: z.string(),
  progress: z.number(),
  total: z.nullable(z.number()),
  message: z.nullable(z.string()),
});

const NOTHING: readonly OutputPiece[] = [];

export function createCommandOutput(): CommandOutput {
  const outputs = new Map<string, readonly OutputPiece[]>();
  const progress = new Map<string, ToolProgress>();
  const listeners = new Map<string, Set<() => void>>();
  const announce = (callId: string) => {
    for (const listener of listeners.get(callId) ?? []) listener();
  };
  return {
    tell: (event) => {
      const said = z.safeParse(outputSchema, event).data;
      if (said !== undefined) {
        const { tool_call_id: callId, stream, text } = said;
        outputs.set(callId, joined(outputs.get(callId) ?? NOTHING, { stream, text }));
        announce(callId);
      }
      const told = z.safeParse(progressSchema, event).data;
      if (told !== undefined) {
        const { tool_call_id: callId, progress: done, total, message } = told;
        progress.set(callId, { done, total: total ?? undefined, message: message ?? undefined });
        announce(callId);
      }
    },
    of: (callId) => outputs.get(callId) ?? NOTHING,
    progressOf: (callId) => progress.get(callId),
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
