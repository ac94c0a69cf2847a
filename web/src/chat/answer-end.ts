// How an answer ended, as far as the person is concerned.
import type { RunUsage } from '../api/shapes.ts';
import type { AiView } from './message-view.ts';
import type { Turn } from './turns.ts';

export type AnswerEnd =
  | { readonly kind: 'complete' }
  /** The model ended without a word. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'stopped' }
  /** The model stopped at the length that an answer of its may have. */
  | { readonly kind: 'cut' }
  /** It waited for a decision, and words came in its place. */
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly text: string };

const STOPPED = new Set(['interrupted_by_user', 'replaced']);
const FAILED = new Set(['error', 'timeout']);
const UNDER_WAY = new Set(['pending', 'running']);

export function isUnderWay({ status }: RunUsage): boolean {
  return UNDER_WAY.has(status);
}

/** `run` is the newest one of the turn; undefined while it is under way. */
export function answerEnd(run: RunUsage | undefined, { steps }: Turn): AnswerEnd | undefined {
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

/** Of an answer that others follow: what it was waiting for will not be answered any more. */
export function earlierAnswerEnd(run: RunUsage | undefined, turn: Turn): AnswerEnd | undefined {
  const isOpen = turn.steps.at(-1)?.calls.some(({ id }) => !turn.results.has(id)) === true;
  return run?.stop_reason === 'awaiting_input' && isOpen ? { kind: 'passed' } : answerEnd(run, turn);
}

/** Announced to people who do not see the answer. */
export function endText(end: AnswerEnd): string {
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
