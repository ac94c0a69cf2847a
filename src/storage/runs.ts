// Run records: one execution of the agent on a thread.
import type { JsonObject } from '../messages/message.ts';
import { addMoney, type Money, NO_MONEY } from '../messages/money.ts';
import { byColumn, countsIn, type RunCounts } from './run-counts.ts';
import type { NewRunEvent } from './run-events.ts';

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'timeout';

/** Why a run ended (docs/contract/runs.md#why-runs-end). */
export const STOP_REASONS = [
  'completed',
  'max_steps',
  'interrupted_by_user',
  'awaiting_input',
  'rolled_back',
  'replaced',
  'budget_exhausted',
  'loop_detected',
  'context_overflow',
  'state_too_large',
  'model_error',
  'rate_limited',
  'tool_outcome_unknown',
  'crashed_repeatedly',
  'timeout',
  'set_up_failed',
  'already_answered',
] as const;

export type StopReason = (typeof STOP_REASONS)[number];

export type MultitaskStrategy = 'reject' | 'interrupt' | 'rollback' | 'enqueue';

/** How to end a run before it is done. `rollback`: with the state from before it. */
export interface RunCancel {
  readonly action: 'interrupt' | 'rollback';
  readonly stopReason: 'interrupted_by_user' | 'replaced' | 'rolled_back';
}

export interface ModelUsage {
  readonly tokens: number;
  readonly inputTokens: number;
  /** The input tokens that the provider read from its cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  /** At the prices at the time of each call; empty when the model had none. */
  readonly cost: Money;
}

export const NO_USAGE: ModelUsage = Object.freeze({
  tokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  calls: 0,
  cost: NO_MONEY,
});

export function addUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    tokens: left.tokens + right.tokens,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    calls: left.calls + right.calls,
    cost: addMoney(left.cost, right.cost),
  };
}

/**
 * Token totals of a run. Each model call is included once its end is durable
 * (docs/contract/record.md#token-usage).
 */
export interface RunTotals extends RunCounts {
  readonly tokenUsageByModel: Readonly<Record<string, ModelUsage>>;
}

export const NO_TOTALS: RunTotals = Object.freeze({
  ...countsIn(byColumn(() => 0)),
  tokenUsageByModel: Object.freeze({}),
});

/** The head of a thread before a run moved it. `checkpointId` is `null` when the thread had no state. */
export interface FormerHead {
  readonly checkpointId: string | null;
}

/** A stretch of a run's log that one worker wrote after one claim. It ends where the next one begins. */
export interface RunEpoch {
  readonly firstSeq: number;
  /** Random, so that a stretch lost by a database and its replacement never have the same name. */
  readonly name: string;
}

export interface RunRecord {
  readonly runId: string;
  readonly threadId: string;
  readonly userId: string | null;
  readonly assistantId: string;
  readonly status: RunStatus;
  readonly metadata: JsonObject;
  /** The request as accepted: input, config, stream modes. Enough to restart the run after a crash. */
  readonly kwargs: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly followUpToRunId: string | null;
  /**
   * How often the run was claimed, without claims that were handed back; 0 before the first. Fences every
   * write of the run.
   */
  readonly attempt: number;
  /** One per claim, oldest first; empty when the last claim predates epochs. */
  readonly epochs: readonly RunEpoch[];
  /** The worker that executes the run. */
  readonly leaseOwner: string | null;
  /** The checkpoint from which the run starts; `null` on a thread without state. */
  readonly baseCheckpointId: string | null;
  /**
   * The thread's head when the run began from an older checkpoint; `undefined` for a run that continues from
   * the head.
   */
  readonly formerHead: FormerHead | undefined;
  /** Earliest start in epoch milliseconds of the database's clock; `null`: immediately. */
  readonly startAfter: number | null;
  /**
   * The first cancel request after the run was claimed. The worker that executes the run ends it accordingly.
   */
  readonly cancel: RunCancel | null;
  readonly stopReason: StopReason | null;
  /** The message for a person when the run failed. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /**
   * Where the numbers of its events begin among those of its thread: `startedAt`, or later when the clock was
   * set back, so that it rises from run to run. `null` until the run is claimed or ends.
   */
  readonly numbersFrom: number | null;
  readonly totals: RunTotals;
}

export interface NewRun
  extends Pick<
    RunRecord,
    'runId' | 'threadId' | 'assistantId' | 'metadata' | 'kwargs' | 'multitaskStrategy'
  > {
  /** Absent: the latest successful run of the thread, if there is one. */
  readonly followUpToRunId?: string | undefined;
  /** For 24 hours, the same key of the same owner means the same run. */
  readonly idempotencyKey?: string | undefined;
  /** Most waiting runs of the thread's owner. At that number this run is refused. */
  readonly maxWaiting?: number;
  /** The URL to call when the run has ended. */
  readonly webhook?: string | undefined;
  /** Delay before the run may start, in milliseconds by the clock of the database. */
  readonly delayMs?: number;
  /**
   * Recorded in the same transaction, so the question of an accepted run is never lost. The repository adds
   * `follow_up_to_run_id` to the metadata of a `human_message`.
   */
  readonly events: readonly NewRunEvent[];
  readonly now: number;
}

/** The worker that claims the run as it is admitted, if the run may start immediately. */
export interface AdmissionClaim {
  /** A registered worker that is not fenced. For any other the run waits. */
  readonly workerId: string;
  /** As in `RunClaim`. */
  readonly epoch: string;
  /**
   * Returns whether the worker has a free place for another run of the user. Called within the transaction,
   * which may run more than once.
   */
  readonly hasPlaceFor: (userId: string | null) => boolean;
}

export interface AdmittedRun {
  readonly kind: 'admitted';
  /** The run as accepted: `pending`. */
  readonly run: RunRecord;
  /** The same run in its first attempt; `undefined` when it was not claimed. */
  readonly claimed: RunRecord | undefined;
  /** The running runs that it displaces. The workers that execute them must be notified. */
  readonly displaced: readonly RunRecord[];
  /** Ids of waiting runs that were ended for it. */
  readonly ended: readonly string[];
}

export type Admission =
  | AdmittedRun
  /** The run that first had the idempotency key, on any thread. Nothing was inserted. */
  | { readonly kind: 'repeated'; readonly run: RunRecord }
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_many_waiting' }
  | { readonly kind: 'no_thread' };

export interface RunQuery {
  readonly status?: RunStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface RunRepository {
  /**
   * Inserts the run as `pending` and makes the thread `busy`, unless the strategy is `reject` and the thread
   * has a pending or running run: `busy`. With `interrupt` and `rollback`, cancels the earlier runs in the
   * same transaction, as `cancel` does with stop reason `replaced` and `rolled_back`. `no_thread`: the owner
   * has no such thread. With a `claim`, also claims the run in the same transaction where `RunLeases.claim`
   * could do so afterwards: it is not delayed, no run of its thread precedes it, the worker is live and the
   * user has a free place. Two processes never both claim it.
   */
  admit(run: NewRun, claim?: AdmissionClaim): Promise<Admission>;
  get(runId: string): Promise<RunRecord | undefined>;
  /** Returns the run for which this owner used the key in the last 24 hours. */
  findByIdempotencyKey(key: string, now: number): Promise<RunRecord | undefined>;
  /**
   * Cancels the run. `'ended'`: no worker had claimed it, and it is `interrupted` for the given reason.
   * `'requested'`: it was claimed (and perhaps handed over since), so the worker that executes it must end
   * it; the request is durable, and the first one stays. `'over'`: it had ended. `'absent'`: the owner has no
   * such run.
   */
  cancel(
    runId: string,
    request: RunCancel & { readonly now: number },
  ): Promise<'ended' | 'requested' | 'over' | 'absent'>;
  /**
   * Removes an ended run with its events, stream and idempotency key. Its checkpoints stay, as part of the
   * thread's state. `'active'`: it has not ended.
   */
  delete(runId: string): Promise<'deleted' | 'active' | 'absent'>;
  /** Returns the runs of a thread, newest first. */
  list(threadId: string, query: RunQuery): Promise<readonly RunRecord[]>;
}

/** Fields that the executor changes. Applied only under the run's own attempt. */
export interface RunPatch {
  readonly status?: RunStatus;
  readonly stopReason?: StopReason;
  readonly error?: string;
  readonly baseCheckpointId?: string;
  readonly formerHead?: FormerHead;
  readonly finishedAt?: number;
  readonly totals?: RunTotals;
}

/** Whether a run never leaves the status. */
export function isTerminal(status: RunStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

/** Returns the thread's head when the run began; `null` when it had no state. */
export function headBefore({
  formerHead,
  baseCheckpointId,
}: Pick<RunRecord, 'formerHead' | 'baseCheckpointId'>): string | null {
  return formerHead === undefined ? baseCheckpointId : formerHead.checkpointId;
}
