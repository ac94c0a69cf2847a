// The last word of a run: what its end is in the log, in the record, and in the rows of the run and its thread. Pure.
import type { ThreadState } from '../../messages/thread-state.ts';
import type { HeadMove } from '../../storage/run-commits.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import type { RunTotals, StopReason } from '../../storage/runs.ts';
import type { LogEvent } from '../log/log-event.ts';
import { type RunEnding, threadStatusAfter } from '../log/run-ending.ts';
import type { RunReport } from '../log/run-writer.ts';
import { type AgentPosition, outputOf } from './log-facts.ts';
import { runEvent } from './run-event-catalogue.ts';

interface LastState {
  readonly state: ThreadState;
  /** Where the lead agent stands. */
  readonly position: AgentPosition;
  readonly totals: RunTotals;
  /** What a rollback does to the thread; `undefined`: nothing. */
  readonly wayBack: Pick<HeadMove, 'fromId' | 'toId'> | undefined;
  /** What that does to the listings, if it is known. */
  readonly move: HeadMove | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** One report: everything that a client may read after `end` is in the same transaction as `end`. */
export function lastWord(
  ending: RunEnding,
  { state, position, totals, wayBack, move, now }: LastState,
): RunReport {
  const { status, stopReason, failure } = ending;
  const { title } = state.values;
  const output = outputOf(ending, position);
  const events: LogEvent[] = [
    ...(output === undefined ? [] : [output]),
    ...(failure === undefined ? [] : [{ type: 'error', ...failure } as const]),
    { type: 'end', status, stopReason },
  ];
  return {
    events: events.map((event) => ({ event })),
    record: [endEvent(ending, now)],
    run: {
      status,
      stopReason,
      ...(failure === undefined ? {} : { error: failure.message }),
      finishedAt: now,
      totals,
    },
    thread: {
      status: threadStatusAfter(ending),
      ...(typeof title === 'string' && stopReason !== 'rolled_back' ? { displayName: title } : {}),
      ...(stopReason === 'rolled_back' && wayBack !== undefined
        ? { headCheckpointId: wayBack.toId, returnedFrom: wayBack.fromId, ...(move && { move }) }
        : {}),
    },
  };
}

/** Whether what the thread waits for goes on being asked. */
export function keepsOpen({ stopReason }: RunEnding): boolean {
  return KEEPS_OPEN.has(stopReason);
}

const KEEPS_OPEN: ReadonlySet<StopReason> = new Set(['awaiting_input', 'rolled_back', 'already_answered']);

function endEvent({ status, stopReason, failure }: RunEnding, createdAt: number): NewRunEvent {
  const ending = { status, stop_reason: stopReason };
  if (failure === undefined) return { ...runEvent('run_end', '', ending), createdAt };
  const { message, error: error_type, budget } = failure;
  const metadata = { ...ending, error_type, ...(budget === undefined ? {} : { budget }) };
  return { ...runEvent('run_error', message, metadata), createdAt };
}
