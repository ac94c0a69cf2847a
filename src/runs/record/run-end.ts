// The end of a run: results for the calls that it leaves open, and its last report. Pure.
import type { UnfinishedStep } from '../../agent/agent.ts';
import type { ToolEnd } from '../../agent/agent-event.ts';
import { type Message, toolMessage } from '../../messages/message.ts';
import { openCalls } from '../../messages/open-calls.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { HeadMove } from '../../storage/run-commits.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import type { RunTotals, StopReason } from '../../storage/runs.ts';
import type { FoldedCheckpoint } from '../../storage/thread-states.ts';
import type { LogEvent, RunOutput } from '../log/log-event.ts';
import { type RunEnding, threadStatusAfter } from '../log/run-ending.ts';
import type { RunReport } from '../log/run-writer.ts';
import { runEvent } from './run-event-catalogue.ts';

export interface AgentPosition {
  readonly at: FoldedCheckpoint;
  /** What remains to be done, and whether the run waits for an answer before it does that. */
  readonly next: readonly string[];
  readonly asks: boolean;
}

interface LastState {
  readonly state: ThreadState;
  readonly position: AgentPosition;
  readonly totals: RunTotals;
  /** What a rollback does to the thread; `undefined` for nothing. */
  readonly wayBack: Pick<HeadMove, 'fromId' | 'toId'> | undefined;
  /** How that changes the listings, if it is known. */
  readonly move: HeadMove | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Returns one report, so that everything a client may read after `end` is in the same transaction. */
export function endReport(
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

/** Returns the output of a run that came to rest; `undefined` if it failed, was cancelled or never began. */
function outputOf(
  { status, stopReason }: RunEnding,
  { at, next, asks }: AgentPosition,
): RunOutput | undefined {
  const waits = stopReason === 'awaiting_input';
  if (at.checkpointId === null || !(waits || status === 'success')) return undefined;
  return { type: 'output', checkpointId: at.checkpointId, isBreakpoint: waits && next.length > 0 && !asks };
}

/** True when the thread's open question stays open after this ending. */
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

interface ClosingResult {
  readonly end: ToolEnd;
  /** True when it was reported already and only the state lacks it. */
  readonly isKnown: boolean;
}

/** What the unfinished step has left: `toolEnds` and `startedCallIds`. */
type BegunCalls = Pick<UnfinishedStep, 'toolEnds' | 'startedCallIds'>;

const NOT_RUN = 'Error: the run ended before this tool was run.';
const OUTCOME_UNKNOWN =
  'Error: the run ended while this tool was running, and it is not known whether it took effect.';

/** Returns results in the order of the calls; none when the newest reply has all its results. */
export function closingResults(
  messages: readonly Message[],
  begun: BegunCalls,
  newId: () => string,
): readonly ClosingResult[] {
  return openCalls(messages).map((call) => {
    const known = begun.toolEnds.find(({ message }) => message.tool_call_id === call.id);
    if (known !== undefined) return { end: known, isKnown: true };
    const wasRunning = begun.startedCallIds.has(call.id);
    const content = wasRunning ? OUTCOME_UNKNOWN : NOT_RUN;
    const message = toolMessage(newId(), call, { content, status: 'error' });
    const end: ToolEnd = { type: 'tool_end', message, values: {}, awaitsInput: false };
    return { end: wasRunning ? { ...end, isOutcomeUnknown: true } : end, isKnown: false };
  });
}
