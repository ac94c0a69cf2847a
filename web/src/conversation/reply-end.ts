// How a reply ended, and what can go wrong with its run.
import type { RunUsage } from '../api/shapes.ts';
import type { AiView } from './message-view.ts';
import type { Turn } from './turns.ts';

export type ReplyEnd =
  | { readonly kind: 'complete' }
  /** The model ended without any text. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'stopped' }
  /** The model stopped at its maximum length. */
  | { readonly kind: 'cut' }
  /** The reply waited for a decision, and a new message came instead. */
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly text: string };

const STOPPED = new Set(['interrupted_by_user', 'replaced']);
const FAILED = new Set(['error', 'timeout']);
const UNDER_WAY = new Set(['pending', 'running']);

export function isUnderWay({ status }: RunUsage): boolean {
  return UNDER_WAY.has(status);
}

/**
 * Returns how the reply ended, or undefined while the run is under way. `run` is the newest run of the turn.
 */
export function replyEnd(run: RunUsage | undefined, { steps }: Turn): ReplyEnd | undefined {
  if (run !== undefined && isUnderWay(run)) return undefined;
  if (run !== undefined && FAILED.has(run.status))
    return { kind: 'failed', text: run.error ?? 'The run failed.' };
  if (STOPPED.has(run?.stop_reason ?? '')) return { kind: 'stopped' };
  const last = steps.at(-1);
  if (last?.isCut === true) return { kind: 'cut' };
  return { kind: isEmpty(run, last) ? 'empty' : 'complete' };
}

function isEmpty(run: RunUsage | undefined, last: AiView | undefined): boolean {
  if (last === undefined) return run?.stop_reason === 'completed';
  return last.text.trim() === '' && last.calls.length === 0;
}

/** Returns how an earlier reply ended. Its open question can no longer be answered. */
export function earlierReplyEnd(run: RunUsage | undefined, turn: Turn): ReplyEnd | undefined {
  const isOpen = turn.steps.at(-1)?.calls.some(({ id }) => !turn.results.has(id)) === true;
  return run?.stop_reason === 'awaiting_input' && isOpen ? { kind: 'passed' } : replyEnd(run, turn);
}

/** Returns the sentence that is announced to screen readers. */
export function endText(end: ReplyEnd): string {
  switch (end.kind) {
    case 'complete':
      return 'The answer is complete.';
    case 'empty':
      return 'The model gave no answer.';
    case 'stopped':
      return 'Stopped.';
    case 'cut':
      return 'The answer was cut off at its maximum length.';
    case 'passed':
      return 'Not done: your next message came before you decided.';
    case 'failed':
      return `The answer failed: ${end.text}`;
    default:
      return end satisfies never;
  }
}

/** Why there is no reply: no connection, no such chat, or a sentence from the service. */
export type RunProblem =
  | { readonly kind: 'connection' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly text: string };

export function runProblemOf(error: unknown): RunProblem | undefined {
  if (error === undefined || error === null) return undefined;
  const status = statusOf(error);
  // The page is about to show the sign-in screen.
  if (status === 401) return undefined;
  if (status === 404) return { kind: 'missing' };
  if (isConnectionError(error)) return { kind: 'connection' };
  return { kind: 'failed', text: sentenceOf(error) };
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof TypeError || /fetch|network|connection|reconnect|load failed/i.test(error.message);
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // The SDK puts the whole body of an error response into its message: `HTTP 409: {"detail": "..."}`.
  const body = /^HTTP \d+: (.*)$/s.exec(text)?.[1];
  if (body === undefined) return text;
  return detailOf(body) ?? 'The service refused this request.';
}

function detailOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('detail' in parsed)) return undefined;
    return typeof parsed.detail === 'string' ? parsed.detail : undefined;
  } catch {
    return undefined;
  }
}
