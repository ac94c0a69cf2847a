// Run records: one execution of the agent on a thread.
import type { JsonObject } from '../messages/message.ts';
import type { Money } from '../messages/money.ts';
import { byColumn, countsIn, type RunCounts } from './run-counts.ts';
import type { NewRunEvent } from './run-events.ts';

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'timeout';

/** Why a run ended (docs/contract/runs.md#why-runs-end). */
export type StopReason =
  | 'completed'
  | 'max_steps'
  | 'interrupted_by_user'
  | 'awaiting_input'
  | 'rolled_back'
  | 'replaced'
  | 'budget_exhausted'
  | 'loop_detected'
  | 'context_overflow'
  | 'state_too_large'
  | 'model_error'
  | 'rate_limited'
  | 'tool_outcome_unknown'
  | 'crashed_repeatedly'
  | 'timeout'
  | 'set_up_failed'
  | 'already_answered';

export type MultitaskStrategy = 'reject' | 'interrupt' | 'rollback' | 'enqueue';

/** How a run shall end before it is done. `rollback`: with the state from before it. */
export interface RunCancel {
  readonly action: 'interrupt' | 'rollback';
  readonly stopReason: 'interrupted_by_user' | 'replaced' | 'rolled_back';
}

export interface ModelUsage {
  readonly tokens: number;
  readonly inputTokens: number;
  /** Of the input tokens, those that the provider read from its cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  /** At the prices of the moments of the calls; empty when the model had none. */
  readonly cost: Money;
}

/** Token totals of a run; each model call is in them as soon as its end is durable (docs/contract/record.md#token-usage). */
export interface RunTotals extends RunCounts {
  readonly tokenUsageByModel: Readonly<Record<string, ModelUsage>>;
}

export const NO_TOTALS: RunTotals = Object.freeze({
  ...countsIn(byColumn(() => 0)),
  tokenUsageByModel: Object.freeze({}),
});

/** `null`: the thread had no state. */
export interface FormerHead {
  readonly checkpointId: string | null;
}

/** A stretch of a run's log that one worker wrote after one claim: it ends where the next one begins. */
export interface RunEpoch {
  readonly firstSeq: number;
  /** Chosen by chance, so that what a database has lost and what it has in its place never share one. */
  readonly name: string;
}

export interface RunRecord {
  readonly runId: string;
  readonly threadId: string;
  readonly userId: string | null;
  readonly assistantId: string;
  readonly status: RunStatus;
  readonly metadata: JsonObject;
  /** The request as it was accepted: input, config, stream modes. Enough to start the run again after a crash. */
  readonly kwargs: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly followUpToRunId: string | null;
  /** How often the run was taken up; 0 while it never was. Fences every write of the run. */
  readonly attempt: number;
  /** One for each claim, oldest first; empty when the last claim is older than epochs are. */
  readonly epochs: readonly RunEpoch[];
  /** The worker that executes the run. */
  readonly leaseOwner: string | null;
  /** The checkpoint that the run starts from; `null` on a thread without state. */
  readonly baseCheckpointId: string | null;
  /** Where the thread stood when the run began at an older checkpoint; `undefined` for a run that goes on from the head. */
  readonly formerHead: FormerHead | undefined;
  /** Epoch milliseconds of the database's clock before which nobody takes the run up; `null`: at once. */
  readonly startAfter: number | null;
  /** The first cancel request that came after the run was taken up; whoever executes it ends it so. */
  readonly cancel: RunCancel | null;
  readonly stopReason: StopReason | null;
  /** What a person reads when the run failed. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /**
   * Where the numbers of its events begin among those of its thread: `startedAt`, or later when the clock was set back,
   * so that it rises from run to run. `null` until the run is taken up or ends.
   */
  readonly numbersFrom: number | null;
  readonly totals: RunTotals;
}

export interface NewRun {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly metadata: JsonObject;
  readonly kwargs: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  /** Absent: the latest successful run of the thread, if there is one. */
  readonly followUpToRunId?: string;
  /** The same key of the same owner means the same run for 24 hours. */
  readonly idempotencyKey?: string;
  /** Runs of the thread's owner that may wait; with as many, this one is refused. */
  readonly maxWaiting?: number;
  /** Called when the run has ended. */
  readonly webhook?: string;
  /** The run waits for so long, by the clock of the database. */
  readonly delayMs?: number;
  /** Recorded in the same transaction, so the question of an accepted run is never lost. The repository adds
   * `follow_up_to_run_id` to the metadata of a `human_message`. */
  readonly events: readonly NewRunEvent[];
  readonly now: number;
}

/** Who takes the run up as it is admitted, if it may start at once. */
export interface AdmissionClaim {
  /** Registered and not fenced; for another one the run waits. */
  readonly workerId: string;
  /** As in `RunClaim`. */
  readonly epoch: string;
  /** Whether the user may have another run there. Asked within the transaction, which may run more than once. */
  readonly hasPlaceFor: (userId: string | null) => boolean;
}

export interface AdmittedRun {
  readonly kind: 'admitted';
  /** As it was accepted: `pending`. */
  readonly run: RunRecord;
  /** The same run under its first attempt, when the claim has taken it up. */
  readonly claimed: RunRecord | undefined;
  /** The runs that were asked to end for it; whoever executes them must be told. */
  readonly displaced: readonly RunRecord[];
  /** Those that waited, and have ended for it. */
  readonly ended: readonly string[];
}

export type Admission =
  | AdmittedRun
  /** The run that had the idempotency key first, on whichever thread; nothing was inserted. */
  | { readonly kind: 'repeated'; readonly run: RunRecord }
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_many_waiting' }
  | { readonly kind: 'no_thread' };

export interface RunQuery {
  readonly status?: RunStatus;
  readonly limit: number;
  readonly offset: number;
}

export interface RunRepository {
  /**
   * Inserts the run as `pending` and makes the thread `busy`, unless the strategy is `reject` and the thread has
   * a pending or running run: `busy`. With `interrupt` and `rollback` the runs before it are cancelled in the same
   * transaction, as by `cancel` with stop reason `replaced` and `rolled_back`. `no_thread` when the owner has no
   * such thread. With a `claim` the run is taken up in the same transaction where `RunLeases.claim` could do so after it:
   * it is not delayed, no run of its thread is before it, the worker lives and the user has room. Two processes
   * never get it.
   */
  admit(run: NewRun, claim?: AdmissionClaim): Promise<Admission>;
  get(runId: string): Promise<RunRecord | undefined>;
  /** The run that this owner's key of the last 24 hours stands for. */
  findByIdempotencyKey(key: string, now: number): Promise<RunRecord | undefined>;
  /**
   * `'ended'`: nobody had taken the run up; it is `interrupted` for the given reason. `'requested'`: it was taken
   * up (and perhaps handed over since), so whoever executes it must end it; the request is durable and the first
   * one stays. `'over'`: it had ended. `'absent'`: the owner has no such run.
   */
  cancel(
    runId: string,
    request: RunCancel & { readonly now: number },
  ): Promise<'ended' | 'requested' | 'over' | 'absent'>;
  /**
   * Removes an ended run with its events, stream and idempotency key; its checkpoints stay, they are the thread's
   * state. `'active'`: it has not ended.
   */
  delete(runId: string): Promise<'deleted' | 'active' | 'absent'>;
  /** Newest first. */
  list(threadId: string, query: RunQuery): Promise<readonly RunRecord[]>;
}

/** Fields that the executor changes; applied only under the run's own attempt. */
export interface RunPatch {
  readonly status?: RunStatus;
  readonly stopReason?: StopReason;
  readonly error?: string;
  readonly baseCheckpointId?: string;
  readonly formerHead?: FormerHead;
  readonly finishedAt?: number;
  readonly totals?: RunTotals;
}

/** Statuses that a run never leaves. */
export function isTerminal(status: RunStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

/** The checkpoint at which the thread stood when the run began; `null`: it had no state. */
export function headBefore({
  formerHead,
  baseCheckpointId,
}: Pick<RunRecord, 'formerHead' | 'baseCheckpointId'>): string | null {
  return formerHead === undefined ? baseCheckpointId : formerHead.checkpointId;
}
