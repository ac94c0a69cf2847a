// Puts the parts of the runs room together.
import type { AgentFactory } from './agent/agent.ts';
import type { Log } from './log.ts';
import { executeRun } from './runs/execute-run.ts';
import { createFramePruner, type FramePruner } from './runs/frame-pruner.ts';
import { createRunDispatcher, type RunDispatcher } from './runs/run-dispatcher.ts';
import { createRunFrames } from './runs/run-frames.ts';
import { createRunLog, type RunLog } from './runs/run-log.ts';
import type { RunRoomOptions } from './runs/run-options.ts';
import { createRunService, type RunService } from './runs/run-service.ts';
import { createRunStream } from './runs/run-stream.ts';
import { createRunTails } from './runs/run-tails.ts';
import type { Storage } from './storage/storage.ts';
import type { ThreadStates } from './storage/thread-states.ts';

export interface RunRoom {
  readonly runs: RunService;
  readonly dispatcher: RunDispatcher;
  readonly runLog: RunLog;
  readonly framePruner: FramePruner;
}

export interface RunRoomParts {
  readonly storage: Storage;
  readonly states: ThreadStates;
  readonly agents: AgentFactory;
  readonly assistants: { has(assistantId: string): boolean };
  readonly options: RunRoomOptions;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
}

/** How often a run that another process executes is looked at by its readers. */
const POLL_MS = 250;

export function createRunRoom(parts: RunRoomParts): RunRoom {
  const { storage, states, agents, options, log, now, newId } = parts;
  const tails = createRunTails();
  const runLog = createRunLog({
    commits: storage.runCommits,
    tails,
    log,
    now,
    flushIntervalMs: options.flush_interval_ms,
  });
  const execution = {
    runLog,
    leases: storage.runLeases,
    states,
    agents,
    log,
    now,
    newId,
    maxAttempts: options.max_attempts,
    traceLimitBytes: options.trace_limit_bytes,
  };
  const dispatcher = createRunDispatcher({
    leases: storage.runLeases,
    repositoriesOf: (owner) => storage.as(owner),
    execute: (claimed) => executeRun(execution, claimed),
    log,
    now,
    leaseOwner: newId(),
    leaseMs: options.lease_ms,
    renewalMs: options.lease_renewal_ms,
    maxConcurrent: options.max_concurrent,
    exclusive: parts.exclusive,
  });
  const stream = createRunStream({ tails, pollMs: POLL_MS });
  const frames = createRunFrames({ stream, states });
  const { assistants } = parts;
  return {
    dispatcher,
    runLog,
    framePruner: createFramePruner({
      retention: storage.frameRetention,
      retentionMs: options.frame_retention_hours * 3_600_000,
      now,
      log,
    }),
    runs: createRunService({ dispatcher, stream, frames, states, assistants, log, now, newId }),
  };
}
