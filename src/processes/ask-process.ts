// Runs a program of the service that might never end or use all memory, in a process that can be killed.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { jsonIn } from '../json/unknown-json.ts';
import { type Command, limitedCommand } from './limited-command.ts';

export interface Question {
  /** It reads the order as JSON from standard input, and writes its response as JSON to standard output. */
  readonly program: URL;
  readonly order: object;
  readonly heapMb: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type ProcessOutcome =
  /** Not validated yet. */
  | { readonly kind: 'answered'; readonly outcome: unknown }
  | { readonly kind: 'cancelled' | 'timeout' }
  /** It ran out of memory or broke off. */
  | { readonly kind: 'died' };

const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/**
 * Never rejects. The process is killed when it resolves. A thread would be lighter, but a thread that runs
 * out of memory can end the whole service, because the heap limit of a thread is best effort in Node.
 */
export async function askProcess(question: Question): Promise<ProcessOutcome> {
  const { order, timeoutMs, signal } = question;
  const { program, args } = commandOf(question);
  const child = spawn(program, args, { env: {}, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  const ended = Promise.withResolvers<ProcessOutcome>();
  const cancel = (): void => ended.resolve({ kind: 'cancelled' });
  const timer = setTimeout(() => ended.resolve({ kind: 'timeout' }), timeoutMs);
  const pieces: Buffer[] = [];
  let length = 0;
  child.stdout.on('data', (piece: Buffer) => {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_OUTPUT_BYTES) ended.resolve({ kind: 'died' });
  });
  child.once('error', () => ended.resolve({ kind: 'died' }));
  child.once('close', () => ended.resolve(outcomeIn(Buffer.concat(pieces).toString())));
  // The process may end before it has read everything.
  child.stdin.on('error', () => undefined).end(JSON.stringify(order));
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await ended.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    child.kill('SIGKILL');
  }
}

const OPEN_FILES = 1_024;

/** The system also enforces the limit, because nothing else does when the service itself is killed. */
function commandOf({ program, heapMb, timeoutMs }: Question): Command {
  const limits = { openFiles: OPEN_FILES, cpuSeconds: 2 * Math.ceil(timeoutMs / 1_000) };
  const node = [`--max-old-space-size=${heapMb}`, '--no-warnings', fileURLToPath(program)];
  return limitedCommand('sh', limits, [process.execPath, ...node]);
}

function outcomeIn(text: string): ProcessOutcome {
  const outcome = jsonIn(text);
  return outcome === undefined ? { kind: 'died' } : { kind: 'answered', outcome };
}
