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
import { RunBudget } from '../budget/run-budget.ts';
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
  await new Attempt(parts, execution).execute();
}

interface Budgets {
  readonly limits: BudgetLimits;
  readonly reservations: BudgetReservations;
}

const NO_SUBAGENTS: ReadonlyMap<string, string> = new Map();

class Attempt {
  readonly #parts: ExecuteRunParts;
  readonly #execution: RunExecution;
  readonly #files: AttemptFiles;
  #reporter: RunReporter | undefined;
  #budget: RunBudget | undefined;

  constructor(parts: ExecuteRunParts, execution: RunExecution) {
    this.#parts = parts;
    this.#execution = execution;
    this.#files = filesOfAttempt(parts, execution);
  }

  async execute(): Promise<void> {
    const { run, repositories, abort, isNew } = this.#execution;
    let ending: RunEnding = INTERNAL_FAILURE;
    try {
      const earlier = isNew
        ? NOTHING_EARLIER
        : await this.#available(() => earlierAttempts(repositories.frames, run.runId));
      ending = await this.#drive(this.#open(earlier.lastSeq), earlier);
    } catch (error) {
      if (abort.signal.aborted) ending = endingOf({ kind: 'aborted' });
      else this.#parts.log.error({ err: error, runId: run.runId }, 'a run failed');
    } finally {
      this.#budget?.close();
      await this.#finish(ending);
    }
  }

  /** Waits while the database is unavailable, as long as the run belongs to this attempt. */
  #available<T>(read: () => Promise<T>): Promise<T> {
    const { timers = REAL_TIMERS } = this.#parts;
    const { signal } = this.#execution.abort;
    return untilAvailable(read, { timers, mayContinue: () => !isGivenAway(signal) });
  }

  #open(lastSeq: number): RunReporter {
    const { runLog, budgets, now, newId, timers = REAL_TIMERS } = this.#parts;
    const { run, abort } = this.#execution;
    const { signal } = abort;
    const writer = runLog.open(run, lastSeq, () => abort.abort(new RunAbort({ kind: 'lost' })));
    const reservesDays = budgets !== undefined && isLimited(budgets.limits.userDay);
    const reporter = new RunReporter({ ...this.#parts, run, writer, reservesDays });
    const totals = () => reporter.totals;
    this.#reporter = reporter;
    this.#budget = budgets && new RunBudget({ ...budgets, run, writer, totals, signal, timers, now, newId });
    return reporter;
  }

  async #drive(reporter: RunReporter, earlier: EarlierAttempts): Promise<RunEnding> {
    const { run, repositories, abort, onProgress } = this.#execution;
    const { states, maxAttempts, maxStateBytes } = this.#parts;
    reporter.begin(earlier);
    if (run.userId === null) return setUpFailed('The run has no owner.');
    if (run.cancel !== null)
      abort.abort(new RunAbort({ kind: 'cancelled', stopReason: run.cancel.stopReason }));
    // The attempt after the last one only ends the run at its last checkpoint. If even that crashes the
    // process, the next attempt ends the run without it.
    const isGivenUp = run.cancel === null && run.attempt > maxAttempts;
    if (isGivenUp && run.attempt > maxAttempts + 1) return crashedRepeatedly(maxAttempts);
    // The request can be megabytes long.
    const breath = createBreath(LONG_CALL_MS);
    const request = fromKwargs(run.kwargs);
    await breath();
    const start = await this.#available(() => startingPoint({ states, repositories, run, request }));
    if (start.kind === 'unusable') return setUpFailed(start.problem);
    await this.#restoreFiles(start, request);
    await inTurns(request.messages, breath, serializedMessage);
    reporter.resume(start, await this.#moveAt(start));
    await breath();
    if (start.kind === 'finished') return start.ending;
    if (isGivenUp) return crashedRepeatedly(maxAttempts);
    const refused = this.#refusal(reporter);
    if (refused !== undefined) return refused;
    const agent = await this.#agentFor(reporter, request, run.userId);
    if ('problem' in agent) return setUpFailed(agent.problem);
    const asked = start.kind === 'input' ? NO_SUBAGENTS : start.subagents;
    const left = { states, repositories, threadId: run.threadId, asked, earlier: earlier.subagents };
    const subagents = await this.#available(() => subagentsBefore(left));
    reporter.resumeSubagents(subagents);
    const progresses = new Map([...subagents].map(([namespace, it]) => [namespace, progressOf(it)]));
    // No model is called for a run that a power cut could undo.
    await this.#available(() => repositories.onDisk());
    return consumeAgent(
      { reporter, agent, onProgress, remember: this.#files.remember, maxStateBytes },
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

  #agentFor(reporter: RunReporter, request: StoredRequest, userId: string): ReturnType<AgentFactory> {
    const { run, abort } = this.#execution;
    const { agent, task, options } = request;
    return this.#parts.agents({
      assistantId: run.assistantId,
      agent,
      task,
      options,
      userId,
      threadId: filesThread(request, run),
      budget: this.#budget,
      runTokens: () => reporter.totals.totalTokens,
      signal: abort.signal,
    });
  }

  /** Prepares the change of the listings, before the transaction for which all runs wait. */
  async #moveAt(start: StartingPoint): Promise<HeadMove | undefined> {
    if (!('left' in start) || start.left === undefined) return undefined;
    return this.#prepared({ fromId: start.left.checkpointId, toId: start.base.checkpointId });
  }

  /** Returns `undefined` when the run no longer belongs to this attempt, whose writes will not count then. */
  #prepared(move: Pick<HeadMove, 'fromId' | 'toId'>): Promise<HeadMove | undefined> {
    const { threadId, runId, attempt } = this.#execution.run;
    return this.#available(() => this.#parts.prepareMove(threadId, { ...move, runId, attempt }));
  }

  #refusal({ lead: { stateBytes } }: RunReporter): RunEnding | undefined {
    const { maxStateBytes } = this.#parts;
    if (this.#execution.abort.signal.aborted) return endingOf({ kind: 'aborted' });
    return stateBytes > maxStateBytes ? stateTooLarge(maxStateBytes) : undefined;
  }

  /** Restores files only in the first attempt of a branch, because later attempts continue its work. */
  async #restoreFiles(start: StartingPoint, request: StoredRequest): Promise<void> {
    const { run, repositories } = this.#execution;
    if (!request.restoreFiles || !('left' in start) || run.attempt > 1) return;
    const { checkpointId } = start.base;
    if (checkpointId === null) return;
    const checkpoint = await repositories.checkpoints.get(run.threadId, checkpointId);
    if (checkpoint === undefined) return;
    // Files must not be restored for a run that a power cut could undo.
    await repositories.onDisk();
    await this.#files.goBackTo(checkpoint);
  }

  async #finish(ending: RunEnding): Promise<void> {
    const { run, abort } = this.#execution;
    const reason: unknown = abort.signal.reason;
    const why = reason instanceof RunAbort ? reason.why : undefined;
    const reporter = this.#reporter;
    try {
      if (why?.kind === 'drained') {
        await reporter?.handOver();
        // The next attempt reads its rows.
        await reporter?.close();
        await this.#handBack();
      } else if (why?.kind !== 'lost' && reporter !== undefined)
        await this.#end(reporter, endingAfter(ending, why));
    } catch (error) {
      if (!(error instanceof RunLostError))
        this.#parts.log.error({ err: error, runId: run.runId }, 'a run could not be ended');
    } finally {
      await reporter?.close();
    }
  }

  /** Handles the files before the end is visible, so that later runs and readers find their final state. */
  async #end(reporter: RunReporter, ending: RunEnding): Promise<void> {
    if (ending.stopReason !== 'rolled_back') {
      await this.#files.settle(reporter.lead.checkpointId);
      return reporter.end(ending);
    }
    await this.#execution.repositories.onDisk();
    await this.#files.rollBack();
    return reporter.end(ending, await this.#moveBack(reporter));
  }

  async #handBack(): Promise<void> {
    const { leases, now } = this.#parts;
    const { runId, attempt, leaseOwner: workerId } = this.#execution.run;
    if (workerId !== null) await leases.release({ workerId, runId, attempt }, now());
  }

  /** Prepares how undoing the run changes the listings. All events of the run must be durable first. */
  async #moveBack(reporter: RunReporter): Promise<HeadMove | undefined> {
    const { wayBack } = reporter;
    if (wayBack === undefined) return undefined;
    await reporter.durable();
    return this.#prepared(wayBack);
  }
}

/** Returns the thread with the files: for a background task, the thread that started it. */
function filesThread({ task }: StoredRequest, { threadId }: RunRecord): string {
  return task?.parentThreadId ?? threadId;
}

/** A run that completed before it was cancelled counts as completed; a rollback undoes that as well. */
function endingAfter(ending: RunEnding, why: AbortCause | undefined): RunEnding {
  if (why?.kind !== 'cancelled') return ending;
  const heard = ending.stopReason === 'interrupted_by_user' || why.stopReason === 'rolled_back';
  return heard ? cancelledEnding(why.stopReason) : ending;
}
