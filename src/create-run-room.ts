// Puts the parts of the runs room together.
import type { AgentFactory } from './agent/agent.ts';
import type { Log } from './log.ts';
import type { Assistants } from './runs/assistants.ts';
import { type BackgroundTaskRuns, createBackgroundTasks } from './runs/background-tasks.ts';
import type { BudgetLimits } from './runs/budget-options.ts';
import { createEventSweeper } from './runs/event-sweeper.ts';
import { executeRun } from './runs/execute-run.ts';
import { createFramePruner } from './runs/frame-pruner.ts';
import { createThreadEvents, type ThreadEvents } from './runs/protocol/thread-events.ts';
import { createThreadWatch, type ThreadWatch } from './runs/protocol/thread-watch.ts';
import { createRunDispatcher, type RunDispatcher } from './runs/run-dispatcher.ts';
import { forgivingRunFiles, NO_RUN_FILES, type RunFiles } from './runs/run-files.ts';
import { createRunFrames } from './runs/run-frames.ts';
import { createRunLog, type RunLog } from './runs/run-log.ts';
import type { RunRoomOptions } from './runs/run-options.ts';
import { createRunService, type RunService } from './runs/run-service.ts';
import { createRunStream } from './runs/run-stream.ts';
import { createRunTails } from './runs/run-tails.ts';
import { isTaskRun } from './runs/stored-request.ts';
import { createThreadChanges, type ThreadChanges } from './runs/thread-changes.ts';
import type { RunRecord } from './storage/runs.ts';
import type { Storage } from './storage/storage.ts';
import type { RemovedRows } from './storage/thread-removals.ts';
import type { ThreadStates } from './storage/thread-states.ts';
import type { AdmitMetadata } from './storage/usage.ts';
import { REAL_TIMERS, type Timers } from './timers.ts';
import type { JobTaker } from './upkeep/upkeep.ts';

export interface RunRoom {
  readonly runs: RunService;
  readonly dispatcher: RunDispatcher;
  readonly runLog: RunLog;
  readonly backgroundTasks: BackgroundTaskRuns;
  readonly threadEvents: ThreadEvents;
  readonly threadChanges: ThreadChanges;
  /** The thread is deleted: whoever follows it is told. */
  readonly announceDeleted: (threadId: string) => void;
  /** Nothing of these stays in memory. */
  readonly forget: (removed: RemovedRows) => void;
}

export interface RunRoomParts {
  readonly storage: Storage;
  readonly states: ThreadStates;
  readonly agents: AgentFactory;
  /** Absent: nothing is remembered of files. */
  readonly files?: RunFiles;
  readonly assistants: Assistants;
  readonly options: RunRoomOptions;
  /** Absent: metadata is not limited. */
  readonly admitMetadata?: AdmitMetadata;
  /** Absent: every webhook is accepted. */
  readonly checkWebhook?: (address: string) => void;
  /** Absent: nothing is limited. */
  readonly budgets?: BudgetLimits | undefined;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly timers?: Timers;
  readonly upkeep: JobTaker;
}

/** How often a run that another process executes is looked at by its readers. */
const POLL_MS = 250;
/** How often an idle thread is looked at for runs that this process has not started, and a user's threads for changes. */
const IDLE_POLL_MS = { alone: 30_000, together: 1_000 } as const;

export function createRunRoom(parts: RunRoomParts): RunRoom {
  const { storage, states, agents, options, budgets, log, now, newId } = parts;
  const { timers = REAL_TIMERS } = parts;
  const maxStateBytes = options.max_state_mb * 1_048_576;
  const tails = createRunTails();
  const runLog = createRunLog({
    commits: storage.runCommits,
    tails,
    log,
    now,
    flushIntervalMs: options.flush_interval_ms,
    timers,
  });
  const execution = {
    runLog,
    leases: storage.runLeases,
    prepareMove: storage.runCommits.prepareMove,
    states,
    agents,
    files: forgivingRunFiles(parts.files ?? NO_RUN_FILES, log),
    log,
    now,
    newId,
    maxAttempts: options.max_attempts,
    traceLimitBytes: options.trace_limit_bytes,
    maxStateBytes,
    budgets: budgets && { limits: budgets, reservations: storage.budgetReservations },
    timers,
    onTaskBegun: () => backgroundTasks.wake(),
  };
  const pollMs = parts.exclusive ? IDLE_POLL_MS.alone : IDLE_POLL_MS.together;
  const threadChanges = createThreadChanges({ marks: storage.threadMarks, pollMs, timers });
  const onEnd = (run: RunRecord): void => {
    if (!isTaskRun(run)) threadChanges.announce(run.userId, run.threadId);
    backgroundTasks.ended(run);
  };
  const dispatcher = dispatcherOf(parts, execution, onEnd);
  const stream = createRunStream({ tails, pollMs: POLL_MS, timers });
  const frames = createRunFrames({ stream, states });
  const watch = createThreadWatch();
  const service = serviceOf(parts, { dispatcher, stream, frames });
  addRetention(parts);
  const runs = announced(service, { watch, threadChanges });
  const backgroundTasks = createBackgroundTasks({
    ...parts,
    tasks: storage.backgroundTasks,
    repositoriesOf: (owner) => storage.as(owner),
    runs,
  });
  return {
    dispatcher,
    runLog,
    runs,
    backgroundTasks,
    threadChanges,
    threadEvents: createThreadEvents({ stream, states, watch, pollMs, now }),
    announceDeleted: (threadId) => watch.deleted(threadId),
    forget({ runIds, checkpointIds }) {
      states.forget(checkpointIds);
      for (const runId of runIds) tails.forget(runId);
    },
  };
}

function serviceOf(
  parts: RunRoomParts,
  shown: Pick<Parameters<typeof createRunService>[0], 'dispatcher' | 'stream' | 'frames'>,
): RunService {
  const { states, assistants, options, log, now, newId } = parts;
  return createRunService({
    ...shown,
    states,
    maxStateBytes: options.max_state_mb * 1_048_576,
    maxWaitingPerUser: options.max_waiting_per_user,
    admitMetadata: parts.admitMetadata ?? (async () => {}),
    checkWebhook: parts.checkWebhook ?? (() => {}),
    assistants,
    log,
    now,
    newId,
  });
}

function dispatcherOf(
  { storage, options, exclusive, log, now, newId, timers = REAL_TIMERS }: RunRoomParts,
  execution: Parameters<typeof executeRun>[0],
  onEnd: (run: RunRecord) => void,
): RunDispatcher {
  return createRunDispatcher({
    leases: storage.runLeases,
    repositoriesOf: (owner) => storage.as(owner),
    async execute(claimed) {
      await executeRun(execution, claimed);
      onEnd(claimed.run);
    },
    log,
    now,
    leaseOwner: newId(),
    leaseMs: options.lease_ms,
    renewalMs: options.lease_renewal_ms,
    maxConcurrent: options.max_concurrent,
    perUser: options.per_user,
    maxAttempts: options.max_attempts,
    resumePerSecond: options.resume_per_second,
    exclusive,
    timers,
  });
}

function addRetention({ storage, options, now, upkeep }: RunRoomParts): void {
  const { eventRetention, frameRetention } = storage;
  const retentionMs = options.frame_retention_hours * 3_600_000;
  upkeep.add(createFramePruner({ retention: frameRetention, retentionMs, now }));
  upkeep.add(createEventSweeper({ retention: eventRetention, options: options.retention, now }));
}

interface Followers {
  readonly watch: ThreadWatch;
  readonly threadChanges: ThreadChanges;
}

/** Who follows a thread, or all of them, hears of every run that is accepted. */
function announced(runs: RunService, { watch, threadChanges }: Followers): RunService {
  return {
    ...runs,
    async start(repositories, threadId, request) {
      const run = await runs.start(repositories, threadId, request);
      watch.started(run.threadId);
      if (!isTaskRun(run)) threadChanges.announce(run.userId, run.threadId);
      return run;
    },
  };
}
