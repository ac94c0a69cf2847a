// Assembles the runs module.
import type { AgentFactory } from '../agent/agent.ts';
import { LEAD_AGENT, LEAD_AGENT_DESCRIPTION } from '../agent/lead-agent.ts';
import type { Log } from '../log.ts';
import type { RunRecord } from '../storage/runs.ts';
import type { Storage } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import type { RemovedRows } from '../storage/threads.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import type { Timers } from '../timers.ts';
import type { JobTaker, Upkeep } from '../upkeep/upkeep.ts';
import { type Assistants, createAssistants } from './admission/assistants.ts';
import type { BudgetLimits } from './budget/budget-options.ts';
import { executeRun } from './execution/execute-run.ts';
import { RunDispatcher } from './execution/run-dispatcher.ts';
import { NO_RUN_FILES, type RunFiles } from './execution/run-files.ts';
import { RunLog } from './log/run-log.ts';
import { RunTails } from './log/run-tails.ts';
import { Watches } from './log/watches.ts';
import { createWorker } from './log/worker.ts';
import { createThreadEvents, type ThreadEvents } from './reading/protocol/thread-events.ts';
import { RunStream } from './reading/run-stream.ts';
import { createThreadChanges, type ThreadChanges } from './reading/thread-changes.ts';
import { createWakeUps, type WakeUps } from './reading/wake-ups.ts';
import { createFeedbackService, type FeedbackService } from './record/feedback-service.ts';
import { createEventSweeper, createFramePruner } from './record/old-runs.ts';
import { hasWebhook, isTaskRun } from './request/run-request.ts';
import type { RunsOptions } from './run-options.ts';
import { createRunService, type RunService } from './service/run-service.ts';
import { type BackgroundTaskRuns, createBackgroundTasks } from './tasks/background-tasks.ts';

export interface Runs {
  readonly service: RunService;
  readonly dispatcher: RunDispatcher;
  readonly log: RunLog;
  readonly assistants: Assistants;
  readonly feedback: FeedbackService;
  readonly backgroundTasks: BackgroundTaskRuns;
  readonly threadEvents: ThreadEvents;
  readonly threadChanges: Pick<ThreadChanges, 'read' | 'close'>;
  readonly wakeUps: Pick<WakeUps, 'listChanged' | 'start' | 'stop'>;
  /** Notifies readers that follow the thread of its deletion. */
  readonly announceDeleted: (threadId: string) => void;
  /** Drops everything about the removed rows from memory. */
  readonly forget: (removed: RemovedRows) => void;
}

export interface RunsParts {
  readonly storage: Storage;
  readonly states: ThreadStates;
  readonly agents: AgentFactory;
  /** Absent: files are not remembered. */
  readonly files?: RunFiles | undefined;
  readonly options: RunsOptions;
  /** Absent: metadata is not limited. */
  readonly admitMetadata?: AdmitMetadata;
  /** Absent: every webhook is accepted. */
  readonly checkWebhook?: (address: string) => void;
  /** Called when a run with a webhook has ended. Absent: no webhook is called. */
  readonly callWebhooks?: () => void;
  /** Absent: nothing is limited. */
  readonly budgets?: BudgetLimits | undefined;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** True when this process alone uses the database. */
  readonly exclusive: boolean;
  readonly timers: Timers;
  readonly upkeep: JobTaker & Pick<Upkeep, 'passNow'>;
}

/** How often a waiting reader polls although notices arrive. */
const NOTIFIED_POLL_MS = 30_000;
/** The same while no notices arrive: for a run that another process executes, and for threads. */
const UNHEARD_MS = { run: 250, threads: 1_000 } as const;

/** How long events of a run may be in its process's log only. Readers in other processes wait for them. */
const SORT_AFTER_MS = { alone: 1_000, together: 250 } as const;

export function createRuns(parts: RunsParts): Runs {
  const { storage, states, upkeep, now, newId, timers, callWebhooks = () => {} } = parts;
  const { notices } = storage;
  const tails = new RunTails();
  const pollAfter = (unheardMs: number) => () => (notices.arrive() ? NOTIFIED_POLL_MS : unheardMs);
  const pollAfterMs = pollAfter(UNHEARD_MS.threads);
  const threadChanges = createThreadChanges({ marks: storage.threadMarks, pollAfterMs, timers });
  const onEnd = (run: RunRecord): void => {
    if (!isTaskRun(run)) wakeUps.listChanged(run.userId, run.threadId);
    backgroundTasks.ended(run);
    if (hasWebhook(run)) callWebhooks();
  };
  const { runLog, dispatcher } = executing(parts, {
    tails,
    onSorted: (runIds) => wakeUps.logged(runIds),
    onTaskBegun: () => backgroundTasks.wake(),
    onEnd,
  });
  const stream = new RunStream({ tails, pollAfterMs: pollAfter(UNHEARD_MS.run), timers });
  const threadWatches = new Watches();
  const wakeUps = createWakeUps({
    notices,
    watches: { runs: tails.watches, threads: threadWatches },
    threadChanges,
    onCancel: (runId) => dispatcher.cancelledElsewhere(runId),
    onWaiting: () => dispatcher.wake(),
    onWorkerLeft: () => upkeep.passNow(),
    onList: (threadId) => backgroundTasks.threadChanged(threadId),
  });
  const onEnded = (runIds: readonly string[]): void => {
    wakeUps.ended(runIds);
    callWebhooks();
  };
  // Readers of this thread, or of all threads, are notified of every admitted run.
  const onAccepted = (run: RunRecord): void => {
    wakeUps.threadMoved(run.threadId);
    if (!isTaskRun(run)) wakeUps.listChanged(run.userId, run.threadId);
  };
  const assistants = createAssistants({ name: LEAD_AGENT, description: LEAD_AGENT_DESCRIPTION }, now);
  const service = serviceOf(parts, { dispatcher, stream, assistants, onAccepted, onEnded });
  const backgroundTasks = tasksOf(parts, service);
  addRetention(parts);
  return {
    service,
    dispatcher,
    log: runLog,
    assistants,
    feedback: createFeedbackService({ now, newId }),
    backgroundTasks,
    threadChanges,
    wakeUps,
    threadEvents: createThreadEvents({ stream, states, watches: threadWatches, pollAfterMs, now, timers }),
    announceDeleted(threadId) {
      wakeUps.threadMoved(threadId);
      // Its background tasks end as well.
      backgroundTasks.wake();
    },
    forget({ runIds, checkpointIds }) {
      states.forget(checkpointIds);
      for (const runId of runIds) tails.forget(runId);
      wakeUps.ended(runIds);
    },
  };
}

interface Reports {
  readonly tails: RunTails;
  readonly onSorted: (runIds: readonly string[]) => void;
  readonly onTaskBegun: () => void;
  readonly onEnd: (run: RunRecord) => void;
}

function executing(parts: RunsParts, { tails, onSorted, onTaskBegun, onEnd }: Reports) {
  const { storage, states, agents, files = NO_RUN_FILES, options, budgets } = parts;
  const { exclusive, log, now, newId, timers } = parts;
  const worker = createWorker({
    workers: storage.workers,
    newId,
    leaseMs: options.lease_ms,
    renewalMs: options.lease_renewal_ms,
    exclusive,
    timers,
  });
  const runLog = new RunLog({
    commits: storage.runCommits,
    tails,
    log,
    now,
    flushIntervalMs: options.flush_interval_ms,
    worker,
    sortAfterMs: exclusive ? SORT_AFTER_MS.alone : SORT_AFTER_MS.together,
    onSorted,
    timers,
  });
  const execution = {
    runLog,
    leases: storage.runLeases,
    prepareMove: storage.runCommits.prepareMove,
    states,
    agents,
    files,
    log,
    now,
    newId,
    maxAttempts: options.max_attempts,
    traceLimitBytes: options.trace_limit_bytes,
    maxStateBytes: options.max_state_mb * 1_048_576,
    budgets: budgets && { limits: budgets, reservations: storage.budgetReservations },
    timers,
    onTaskBegun,
  };
  const dispatcher = new RunDispatcher({
    worker,
    leases: storage.runLeases,
    repositoriesOf: (owner) => storage.as(owner).ahead,
    async execute(claimed) {
      await executeRun(execution, claimed);
      onEnd(claimed.run);
    },
    log,
    now,
    newId,
    renewalMs: options.lease_renewal_ms,
    maxConcurrent: options.max_concurrent,
    perUser: options.per_user,
    maxAttempts: options.max_attempts,
    resumePerSecond: options.resume_per_second,
    exclusive,
    notices: storage.notices,
    timers,
  });
  return { runLog, dispatcher };
}

type ServiceParts = Parameters<typeof createRunService>[0];

function serviceOf(
  { states, options, log, now, newId, admitMetadata = async () => {}, checkWebhook = () => {} }: RunsParts,
  made: Pick<ServiceParts, 'dispatcher' | 'stream' | 'assistants' | 'onAccepted' | 'onEnded'>,
): RunService {
  const { dispatcher, stream, assistants, onAccepted, onEnded } = made;
  return createRunService({
    dispatcher,
    stream,
    assistants,
    onAccepted,
    onEnded,
    states,
    maxStateBytes: options.max_state_mb * 1_048_576,
    maxWaitingPerUser: options.max_waiting_per_user,
    admitMetadata,
    checkWebhook,
    log,
    now,
    newId,
  });
}

function addRetention({ storage, options, now, upkeep }: RunsParts): void {
  const { eventRetention, frameRetention } = storage;
  const retentionMs = options.frame_retention_hours * 3_600_000;
  upkeep.add(createFramePruner({ retention: frameRetention, retentionMs, now }));
  upkeep.add(createEventSweeper({ retention: eventRetention, options: options.retention, now }));
}

function tasksOf(
  { storage, states, exclusive, upkeep, log, now, newId }: RunsParts,
  runs: RunService,
): BackgroundTaskRuns {
  const { backgroundTasks: tasks } = storage;
  const repositoriesOf = (owner: string) => storage.as(owner);
  return createBackgroundTasks({ tasks, repositoriesOf, runs, states, exclusive, upkeep, log, now, newId });
}
