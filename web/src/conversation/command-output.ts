// Events about running tool calls: the output of commands, and the progress of tools on tool servers.
import * as z from 'zod/mini';

export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** The progress of a tool on a tool server. */
export interface ToolProgress {
  readonly done: number;
  /** Undefined when the server does not report a total. */
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export interface CommandOutput {
  /** Handles a custom event of a run. Ignores events about anything else. */
  readonly onEvent: (event: unknown) => void;
  /** The output so far. Adjacent pieces are of different streams. */
  readonly of: (callId: string) => readonly OutputPiece[];
  /** The newest progress. */
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
    onEvent: (event) => {
      const output = z.safeParse(outputSchema, event).data;
      if (output !== undefined) {
        const { tool_call_id: callId, stream, text } = output;
        outputs.set(callId, joined(outputs.get(callId) ?? NOTHING, { stream, text }));
        announce(callId);
      }
      const reported = z.safeParse(progressSchema, event).data;
      if (reported !== undefined) {
        const { tool_call_id: callId, progress: done, total, message } = reported;
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
