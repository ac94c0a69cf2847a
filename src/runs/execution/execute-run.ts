// Drives one agent to its end: writes its events to the log and decides in one place how the run ended.
import type { AgentFactory } from '../../agent/agent.ts';
import { createBreath, inTurns, LONG_CALL_MS } from '../../breath.ts';
import type { Log } from '../../log.ts';
import { LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import type { HeadMove, RunCommits } from '../../storage/run-commits.ts';
import type { RunLeases } from '../../storage/run-leases.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import type { BudgetReservations } from '../../storage/usage.ts';
import { REAL_TIMERS, type Timers } from '../../timers.ts';
import { type BudgetLimits, isLimited } from '../budget/budget-options.ts';
import { RunBudget, type RunBudgetParts } from '../budget/run-budget.ts';
import {
  type AbortCause,
  cancelledEnding,
  crashedRepeatedly,
  endingOf,
  INTERNAL_FAILURE,
  RunAbort,
  type RunEnding,
  setUpFailed,
  stateTooLarge,
} from '../log/run-ending.ts';
import type { RunLog } from '../log/run-log.ts';
import { RunLostError } from '../log/run-writer.ts';
import { untilAvailable } from '../log/until-available.ts';
import { RunReporter } from '../record/run-reporter.ts';
import {
  type EarlierAttempts,
  earlierAttempts,
  NOTHING_EARLIER,
  progressOf,
  subagentsBefore,
} from '../record/unfinished-step.ts';
import { fromKwargs, type StoredRequest } from '../request/run-request.ts';
import { type StartingPoint, startingPoint } from '../request/starting-point.ts';
import { consumeAgent, isGivenAway } from './consume-agent.ts';
import { type AttemptFiles, filesOfAttempt, type RunFiles } from './run-files.ts';

export interface ExecuteRunParts {
  readonly runLog: RunLog;
  readonly leases: RunLeases;
  readonly prepareMove: RunCommits['prepareMove'];
  readonly states: ThreadStates;
  readonly agents: AgentFactory;
  readonly files: RunFiles;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  readonly maxAttempts: number;
  readonly traceLimitBytes: number;
  readonly maxStateBytes: number;
  /** Absent: nothing is limited. */
  readonly budgets?: Budgets | undefined;
  readonly timers?: Timers;
  readonly onTaskBegun?: () => void;
}

export interface RunExecution {
  readonly run: RunRecord;
  readonly repositories: Repositories;
  /** Aborted with a `RunAbort`. */
  readonly abort: AbortController;
  /** True for the first attempt of a run that was admitted here. */
  readonly isNew: boolean;
  /** Called once the attempt is past its first step: that step did not end an earlier attempt. */
  readonly onProgress: () => void;
}

/**
 * Executes one attempt of a claimed run. Resolves when the run has ended, was handed back (drain) or was lost
 * to another process; never rejects. The end of the run, its totals, its thread's status and its `end` event
 * become visible in one transaction.
 */
export async function executeRun(parts: ExecuteRunParts, execution: RunExecution): Promise<void> {
  const { run, abort } = execution;
  const files = filesOfAttempt(parts.files, execution);
  let reporter: RunReporter | undefined;
  let budget: RunBudget | undefined;
  let ending: RunEnding = INTERNAL_FAILURE;
  try {
    const earlier = execution.isNew ? NOTHING_EARLIER : await whatWasBefore(parts, execution);
    const writer = parts.runLog.open(run, earlier.lastSeq, () => abort.abort(new RunAbort({ kind: 'lost' })));
    const reservesDays = parts.budgets !== undefined && isLimited(parts.budgets.limits.userDay);
    const written = new RunReporter({ ...parts, run, writer, reservesDays });
    reporter = written;
    budget = budgetOf(parts, execution, { writer, totals: () => written.totals });
    ending = await drive(parts, execution, { files, reporter, earlier, budget });
  } catch (error) {
    if (abort.signal.aborted) ending = endingOf({ kind: 'aborted' });
    else parts.log.error({ err: error, runId: run.runId }, 'a run failed');
  } finally {
    budget?.close();
    await finish(parts, execution, { files, reporter, ending });
  }
}

function whatWasBefore(parts: ExecuteRunParts, execution: RunExecution): Promise<EarlierAttempts> {
  const { run, repositories } = execution;
  return untilAvailable(() => earlierAttempts(repositories.frames, run.runId), patience(parts, execution));
}

function patience({ timers = REAL_TIMERS }: ExecuteRunParts, { abort }: RunExecution) {
  return { timers, mayContinue: () => !isGivenAway(abort.signal) };
}

interface Driven {
  readonly files: AttemptFiles;
  readonly reporter: RunReporter;
  readonly earlier: EarlierAttempts;
  readonly budget: RunBudget | undefined;
}

interface Budgets {
  readonly limits: BudgetLimits;
  readonly reservations: BudgetReservations;
}

function budgetOf(
  { budgets, now, newId, timers = REAL_TIMERS }: ExecuteRunParts,
  { run, abort }: RunExecution,
  attempt: Pick<RunBudgetParts, 'writer' | 'totals'>,
): RunBudget | undefined {
  if (budgets === undefined) return undefined;
  return new RunBudget({ ...budgets, ...attempt, run, signal: abort.signal, timers, now, newId });
}

async function drive(parts: ExecuteRunParts, execution: RunExecution, driven: Driven): Promise<RunEnding> {
  const { run, repositories, abort } = execution;
  const { files, reporter, earlier } = driven;
  reporter.begin(earlier);
  if (run.userId === null) return setUpFailed('The run has no owner.');
  if (run.cancel !== null)
    abort.abort(new RunAbort({ kind: 'cancelled', stopReason: run.cancel.stopReason }));
  // The attempt after the last one only ends the run at its last checkpoint. If even that crashes the
  // process, the next attempt ends the run without it.
  const isGivenUp = run.cancel === null && run.attempt > parts.maxAttempts;
  if (isGivenUp && run.attempt > parts.maxAttempts + 1) return crashedRepeatedly(parts.maxAttempts);
  // The request can be megabytes long.
  const breath = createBreath(LONG_CALL_MS);
  const request = fromKwargs(run.kwargs);
  await breath();
  const start = await untilAvailable(
    () => startingPoint({ states: parts.states, repositories, run, request }),
    patience(parts, execution),
  );
  if (start.kind === 'unusable') return setUpFailed(start.problem);
  await restoreFiles(files, execution, { start, isAsked: request.restoreFiles });
  await inTurns(request.messages, breath, serializedMessage);
  reporter.resume(start, await moveAt(parts, execution, start));
  await breath();
  if (start.kind === 'finished') return start.ending;
  if (isGivenUp) return crashedRepeatedly(parts.maxAttempts);
  const refused = refusal(parts, execution, reporter);
  if (refused !== undefined) return refused;
  const agent = await agentFor(parts, execution, { request, driven, userId: run.userId });
  if ('problem' in agent) return setUpFailed(agent.problem);
  const left = { asked: start.kind === 'input' ? NO_SUBAGENTS : start.subagents, earlier: earlier.subagents };
  const subagents = await untilAvailable(
    () => subagentsBefore({ states: parts.states, repositories, threadId: run.threadId, ...left }),
    patience(parts, execution),
  );
  reporter.resumeSubagents(subagents);
  const progresses = new Map([...subagents].map(([namespace, it]) => [namespace, progressOf(it)]));
  // No model is called for a run that a power cut could undo.
  await untilAvailable(() => repositories.onDisk(), patience(parts, execution));
  return consumeAgent(
    {
      reporter,
      agent,
      onProgress: execution.onProgress,
      remember: files.remember,
      maxStateBytes: parts.maxStateBytes,
    },
    {
      threadId: filesThread(request, run),
      runId: run.runId,
      userId: run.userId,
      namespace: LEAD_NAMESPACE,
      state: reporter.lead.state,
      step: reporter.lead.step,
      start:
        start.kind === 'input'
          ? { kind: 'input' }
          : { ...start, unfinished: { ...earlier.begun, subagents: progresses } },
      options: request.options,
      signal: abort.signal,
    },
  );
}

interface OrderParts {
  readonly request: StoredRequest;
  readonly driven: Driven;
  readonly userId: string;
}

function agentFor(
  { agents }: ExecuteRunParts,
  { run, abort }: RunExecution,
  { request, driven, userId }: OrderParts,
): ReturnType<AgentFactory> {
  const { agent, task, options } = request;
  const { reporter, budget } = driven;
  return agents({
    assistantId: run.assistantId,
    agent,
    task,
    options,
    userId,
    threadId: filesThread(request, run),
    budget,
    runTokens: () => reporter.totals.totalTokens,
    signal: abort.signal,
  });
}

/** Returns the thread with the files: for a background task, the thread that started it. */
function filesThread({ task }: StoredRequest, { threadId }: RunRecord): string {
  return task?.parentThreadId ?? threadId;
}

/** Prepares the change of the listings, before the transaction for which all runs wait. */
async function moveAt(
  parts: ExecuteRunParts,
  execution: RunExecution,
  start: StartingPoint,
): Promise<HeadMove | undefined> {
  if (!('left' in start) || start.left === undefined) return undefined;
  const move = { fromId: start.left.checkpointId, toId: start.base.checkpointId };
  return prepared(parts, execution, move);
}

/** Returns `undefined` when the run no longer belongs to this attempt, whose writes will not count then. */
function prepared(
  parts: ExecuteRunParts,
  execution: RunExecution,
  move: Pick<HeadMove, 'fromId' | 'toId'>,
): Promise<HeadMove | undefined> {
  const { threadId, runId, attempt } = execution.run;
  return untilAvailable(
    () => parts.prepareMove(threadId, { ...move, runId, attempt }),
    patience(parts, execution),
  );
}

function refusal(
  { maxStateBytes }: ExecuteRunParts,
  { abort }: RunExecution,
  { lead: { stateBytes } }: RunReporter,
): RunEnding | undefined {
  if (abort.signal.aborted) return endingOf({ kind: 'aborted' });
  return stateBytes > maxStateBytes ? stateTooLarge(maxStateBytes) : undefined;
}

const NO_SUBAGENTS: ReadonlyMap<string, string> = new Map();

/** Restores files only in the first attempt of a branch, because later attempts continue its work. */
async function restoreFiles(
  files: AttemptFiles,
  { run, repositories }: RunExecution,
  { start, isAsked }: { readonly start: StartingPoint; readonly isAsked: boolean },
): Promise<void> {
  if (!isAsked || !('left' in start) || run.attempt > 1) return;
  const { checkpointId } = start.base;
  if (checkpointId === null) return;
  const checkpoint = await repositories.checkpoints.get(run.threadId, checkpointId);
  if (checkpoint === undefined) return;
  // Files must not be restored for a run that a power cut could undo.
  await repositories.onDisk();
  await files.goBackTo(checkpoint);
}

async function finish(
  parts: ExecuteRunParts,
  execution: RunExecution,
  {
    files,
    reporter,
    ending,
  }: { readonly files: AttemptFiles; readonly reporter: RunReporter | undefined; readonly ending: RunEnding },
): Promise<void> {
  const { run, abort } = execution;
  const reason: unknown = abort.signal.reason;
  const why = reason instanceof RunAbort ? reason.why : undefined;
  try {
    if (why?.kind === 'drained') {
      await reporter?.handOver();
      // The next attempt reads its rows.
      await reporter?.close();
      await handBack(parts, run);
    } else if (why?.kind !== 'lost' && reporter !== undefined) {
      const ended = endingAfter(ending, why);
      // Before the end is visible, so that later runs and readers find the files in their final state.
      if (ended.stopReason === 'rolled_back') {
        await execution.repositories.onDisk();
        await files.rollBack();
      } else await files.settle(reporter.lead.checkpointId);
      await reporter.end(
        ended,
        ended.stopReason === 'rolled_back' ? await moveBack(parts, execution, reporter) : undefined,
      );
    }
  } catch (error) {
    if (!(error instanceof RunLostError))
      parts.log.error({ err: error, runId: run.runId }, 'a run could not be ended');
  } finally {
    await reporter?.close();
  }
}

async function handBack({ leases, now }: ExecuteRunParts, run: RunRecord): Promise<void> {
  const { runId, attempt, leaseOwner: workerId } = run;
  if (workerId !== null) await leases.release({ workerId, runId, attempt }, now());
}

/** Prepares how undoing the run changes the listings. All events of the run must be durable first. */
async function moveBack(
  parts: ExecuteRunParts,
  execution: RunExecution,
  reporter: RunReporter,
): Promise<HeadMove | undefined> {
  const { wayBack } = reporter;
  if (wayBack === undefined) return undefined;
  await reporter.durable();
  return prepared(parts, execution, wayBack);
}

/** A run that completed before it was cancelled counts as completed; a rollback undoes that as well. */
function endingAfter(ending: RunEnding, why: AbortCause | undefined): RunEnding {
  if (why?.kind !== 'cancelled') return ending;
  const heard = ending.stopReason === 'interrupted_by_user' || why.stopReason === 'rolled_back';
  return heard ? cancelledEnding(why.stopReason) : ending;
}
