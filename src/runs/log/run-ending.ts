// How a run ends: its status, the reason, and what clients and people see.
import type { AgentStop } from '../../agent/agent-event.ts';
import type { BudgetScope } from '../../agent/call-budget.ts';
import type { RunCancel, RunStatus, StopReason } from '../../storage/runs.ts';
import type { ThreadStatus } from '../../storage/threads.ts';

export type AbortCause =
  | { readonly kind: 'cancelled'; readonly stopReason: RunCancel['stopReason'] }
  /** The process stops; another one continues. */
  | { readonly kind: 'drained' }
  /** Another process has taken over, or the run no longer exists. */
  | { readonly kind: 'lost' };

/** The `reason` of an aborted run's signal. */
export class RunAbort extends Error {
  override readonly name = 'RunAbort';
  readonly why: AbortCause;

  constructor(why: AbortCause) {
    super(`the run was ${why.kind}`);
    this.why = why;
  }
}

/** `failure` is the content of the `error` frame; absent when nothing failed. */
export interface RunEnding {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>;
  readonly stopReason: StopReason;
  readonly failure?: RunFailure;
}

export interface RunFailure {
  /** A name for programs. */
  readonly error: string;
  /** A sentence for a person. */
  readonly message: string;
  /** The exhausted budget, if that is the reason. */
  readonly budget?: BudgetScope;
}

export const COMPLETED: RunEnding = { status: 'success', stopReason: 'completed' };
export const AWAITING_INPUT: RunEnding = { status: 'interrupted', stopReason: 'awaiting_input' };

export function cancelledEnding(stopReason: RunCancel['stopReason']): RunEnding {
  return { status: 'interrupted', stopReason };
}

/** The names under which clients of comparable servers know the failures of a run. */
const ERROR_NAMES = new Map<StopReason, string>([
  ['max_steps', 'GraphRecursionError'],
  ['loop_detected', 'LoopDetectedError'],
  ['model_error', 'ModelError'],
  ['rate_limited', 'RateLimitError'],
  ['context_overflow', 'ContextOverflowError'],
  ['state_too_large', 'StateTooLargeError'],
  ['budget_exhausted', 'BudgetExhaustedError'],
  ['timeout', 'TimeoutError'],
  ['set_up_failed', 'SetUpError'],
  ['already_answered', 'AlreadyAnsweredError'],
  ['crashed_repeatedly', 'CrashedRepeatedlyError'],
]);

/** Returns the name of a failure for programs. */
export function errorName(stopReason: StopReason | null): string {
  return (stopReason === null ? undefined : ERROR_NAMES.get(stopReason)) ?? 'RunError';
}

export function endingOf(stop: AgentStop): RunEnding {
  switch (stop.kind) {
    case 'completed':
      return COMPLETED;
    case 'awaiting_input':
      return AWAITING_INPUT;
    case 'aborted':
      return cancelledEnding('interrupted_by_user');
    case 'timeout':
      return failed('timeout', stop.kind, stop.message);
    case 'max_steps':
    case 'loop_detected':
    case 'model_error':
    case 'rate_limited':
    case 'context_overflow':
      return failed('error', stop.kind, stop.message);
    case 'budget_exhausted':
      return {
        status: 'error',
        stopReason: stop.kind,
        failure: { error: errorName(stop.kind), message: stop.message, budget: stop.budget },
      };
  }
}

export function setUpFailed(message: string): RunEnding {
  return failed('error', 'set_up_failed', message);
}

/** A defect of the service. The message reveals nothing; the cause is in the log. */
export const INTERNAL_FAILURE: RunEnding = setUpFailed(
  'The run failed because of an error in the service, which was logged. Please try again.',
);

/** Another run has already answered the question. This run does nothing, and the thread does not change. */
export const ALREADY_ENDED: RunEnding = failed(
  'error',
  'already_answered',
  'There is nothing to resume: another run has already answered the question.',
);

export function crashedRepeatedly(attempts: number): RunEnding {
  const message = `The service stopped ${attempts} times while it worked on this run, so the run was given up.`;
  return failed('error', 'crashed_repeatedly', message);
}

/** The step that exceeded the limit stays stored, because readers have seen it. */
export function stateTooLarge(maxBytes: number): RunEnding {
  const message = `The state of the thread is larger than ${maxBytes / 1_048_576} MB (runs.max_state_mb), so the run was ended. Remove messages from the thread, or start a new one.`;
  return failed('error', 'state_too_large', message);
}

function failed(status: RunEnding['status'], stopReason: StopReason, message: string): RunEnding {
  return { status, stopReason, failure: { error: errorName(stopReason), message } };
}

/** Returns the thread's status after a run with this ending (docs/contract/threads.md#the-record). */
export function threadStatusAfter({ status, stopReason }: RunEnding): ThreadStatus | 'as_before' {
  if (stopReason === 'already_answered') return 'as_before';
  if (status === 'success') return 'idle';
  return status === 'interrupted' ? 'interrupted' : 'error';
}
