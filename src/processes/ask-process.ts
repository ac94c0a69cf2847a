// Runs a program of the service that might never end or use all memory, in a process that can be killed.
import { jsonIn } from '../json/unknown-json.ts';
import { limitedNode } from './limited-command.ts';
import { collectedOutput } from './outcome.ts';
import { runProcess } from './run-process.ts';

interface Question {
  /** It reads the order as JSON from descriptor 3, and writes its response as JSON to standard output. */
  readonly program: URL;
  readonly order: object;
  readonly heapMb: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Response =
  /** Not validated yet. */
  | { readonly kind: 'answered'; readonly outcome: unknown }
  | { readonly kind: 'cancelled' | 'timeout' }
  /** It ran out of memory or broke off. */
  | { readonly kind: 'died' };

const MAX_OUTPUT_BYTES = 64 * 1_048_576;
const OPEN_FILES = 1_024;

/**
 * Never rejects. The process is killed when it resolves. A thread would be lighter, but a thread that runs
 * out of memory can end the whole service, because the heap limit of a thread is best effort in Node.
 */
export async function askProcess(question: Question): Promise<Response> {
  const { program, order, heapMb, timeoutMs, signal } = question;
  // The system also enforces the limit, because nothing else does when the service itself is killed.
  const limits = { openFiles: OPEN_FILES, cpuSeconds: 2 * Math.ceil(timeoutMs / 1_000) };
  const { output, stdout } = collectedOutput();
  const outcome = await runProcess(
    { ...limitedNode(program, heapMb, limits), inputs: [JSON.stringify(order)] },
    { timeoutMs, outputBytes: MAX_OUTPUT_BYTES },
    { signal, output },
  );
  if (outcome.kind === 'stopped' && (outcome.cause === 'cancelled' || outcome.cause === 'timeout'))
    return { kind: outcome.cause };
  const response = outcome.kind === 'exited' ? jsonIn(stdout().toString()) : undefined;
  return response === undefined ? { kind: 'died' } : { kind: 'answered', outcome: response };
}
