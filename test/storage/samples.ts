// Records for the storage suites: complete and valid; a test sets the fields that matter to it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json } from '../../src/messages/message.ts';
import type { NewBackgroundTask } from '../../src/storage/background-tasks.ts';
import type { NewCheckpoint } from '../../src/storage/checkpoints.ts';
import type { RunChange } from '../../src/storage/run-commits.ts';
import type { NewRunEvent } from '../../src/storage/run-events.ts';
import type { ClaimedRun, RunClaim } from '../../src/storage/run-leases.ts';
import type { NewRun, RunRecord } from '../../src/storage/runs.ts';
import type { NewSchedule } from '../../src/storage/schedules.ts';
import type { Owner, Storage } from '../../src/storage/storage.ts';
import type { ThreadQuery, ThreadRemoval } from '../../src/storage/threads.ts';
import type { UserRecord } from '../../src/storage/users.ts';

export const ANN = 'user-ann';
export const BOB = 'user-bob';

export const NEWEST_FIRST: ThreadQuery = { limit: 100, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' };

/** A person's request to end a run. */
export const CANCEL = { action: 'interrupt', stopReason: 'interrupted_by_user', now: 4000 } as const;

export function sampleUser(id: string, fields: Partial<UserRecord> = {}): UserRecord {
  return {
    id,
    email: `${id}@example.org`,
    passwordHash: 'hash',
    systemRole: 'user',
    needsSetup: false,
    tokenVersion: 0,
    oauthProvider: null,
    oauthId: null,
    createdAt: 1,
    ...fields,
  };
}

export function sampleRun(runId: string, threadId: string, fields: Partial<NewRun> = {}): NewRun {
  return {
    runId,
    threadId,
    assistantId: 'lead_agent',
    metadata: {},
    kwargs: { input: { messages: [] } },
    multitaskStrategy: 'enqueue',
    events: [],
    now: 1000,
    ...fields,
  };
}

export function sampleEvent(content: Json, fields: Partial<NewRunEvent<Json>> = {}): NewRunEvent<Json> {
  return { eventType: 'ai_message', category: 'message', content, metadata: {}, createdAt: 5, ...fields };
}

export function sampleCheckpoint(
  checkpointId: string,
  parentId: string | null,
  fields: Partial<NewCheckpoint> = {},
): NewCheckpoint {
  return {
    checkpointId,
    parentId,
    runId: null,
    namespace: '',
    step: 0,
    source: 'loop',
    node: 'model',
    delta: `{"delta":"${checkpointId}"}`,
    snapshot: null,
    foldBytes: 10,
    next: [],
    tasks: [],
    metadata: {},
    createdAt: 1000,
    ...fields,
  };
}

/** Returns an empty change of this run under its attempt. */
export function sampleChange(run: RunRecord, fields: Partial<RunChange> = {}): RunChange {
  return {
    runId: run.runId,
    threadId: run.threadId,
    userId: run.userId,
    attempt: run.attempt,
    frames: undefined,
    events: [],
    checkpoints: [],
    revisions: [],
    repeated: [],
    run: undefined,
    spent: [],
    backgroundTasks: [],
    released: [],
    thread: undefined,
    ...fields,
  };
}

/** Returns a task that a call begins in the background. */
export function sampleTask(taskId: string): NewBackgroundTask {
  const asked = { callId: 'c1', subagent: 'general-purpose', description: 'Look', prompt: 'Look at it' };
  return { ...asked, taskId, threadId: `thread-of-${taskId}` };
}

export async function createThread(storage: Storage, owner: Owner, threadId: string): Promise<void> {
  await storage.as(owner).threads.create({ threadId, metadata: {}, assistantId: null, now: 1000 });
}

/** Makes the epoch name of each claim unique. */
let epochs = 0;

/** Claims runs for a worker, registering it if necessary. Times are 2000 by default. */
export async function claimRuns(
  storage: Storage,
  claim: Partial<RunClaim> & Pick<RunClaim, 'workerId'>,
  ...which: [limit?: number, runIds?: readonly string[]]
): Promise<readonly ClaimedRun[]> {
  const [limit = 9, runIds] = which;
  await storage.workers.register({ workerId: claim.workerId, leaseMs: 600_000 });
  return storage.runLeases.claim({ now: 2000, epoch: `e${++epochs}`, ...claim }, limit, runIds);
}

/** Ends the worker's lease without fencing it. */
export async function endLease(storage: Storage, workerId: string): Promise<void> {
  await storage.workers.renew({ workerId, leaseMs: -1, acknowledged: 0 });
}

/** Creates a run of the owner on a new thread, claimed by `worker`. */
export async function startRun(storage: Storage, owner: Owner, runId: string): Promise<RunRecord> {
  const threadId = `thread-of-${runId}`;
  await createThread(storage, owner, threadId);
  return startRunOn(storage, owner, sampleRun(runId, threadId));
}

/** Returns the run, pending; throws when it was not admitted. */
export async function admitRun(storage: Storage, owner: Owner, run: NewRun): Promise<RunRecord> {
  const admission = await storage.as(owner).runs.admit(run);
  if (admission.kind !== 'admitted') throw new Error(`not admitted: ${admission.kind}`);
  return admission.run;
}

export async function startRunOn(storage: Storage, owner: Owner, run: NewRun): Promise<RunRecord> {
  await admitRun(storage, owner, run);
  const [claimed] = await claimRuns(storage, { workerId: 'worker' }, 1, [run.runId]);
  if (claimed === undefined) throw new Error('not claimed');
  return claimed;
}

/** Commits until no change is blocked by a locked thread; throws when a run is lost. */
export async function commitPatiently(storage: Storage, changes: readonly RunChange[]): Promise<void> {
  for (let left = changes; left.length > 0; ) {
    const { lost, blocked } = await storage.runCommits.commit(left, 3000);
    if (lost.length > 0) throw new Error(`fenced out: ${lost.join(', ')}`);
    left = left.filter(({ runId }) => blocked.includes(runId));
  }
}

/** Ends the run successfully, with its thread idle. */
export async function finishRun(storage: Storage, run: RunRecord): Promise<void> {
  const change = sampleChange(run, {
    run: { status: 'success', stopReason: 'completed' },
    thread: { status: 'idle' },
  });
  await commitPatiently(storage, [change]);
}

/** Deletes a thread completely, as the service does it where there are no files. */
export async function deleteThread(
  storage: Storage,
  owner: Owner,
  threadId: string,
): Promise<'deleted' | 'active' | 'absent'> {
  const HELD_UNTIL = 1_000;
  const outcome = await storage.as(owner).threads.delete(threadId, HELD_UNTIL);
  if (outcome !== 'deleted') return outcome;
  let removal: ThreadRemoval = {
    threadId,
    userId: typeof owner === 'string' ? owner : null,
    takenUntil: HELD_UNTIL,
  };
  for await (const page of storage.threadRemovals.removeRows(removal, () => HELD_UNTIL)) {
    removal = page.removal;
    await nextTurn();
  }
  await storage.threadRemovals.done(removal);
  return outcome;
}

/** Returns a schedule for every minute, due at 60,000. */
export function sampleSchedule(scheduleId: string, fields: Partial<NewSchedule> = {}): NewSchedule {
  return {
    scheduleId,
    name: 'Tea',
    prompt: 'a whale',
    assistantId: 'lead_agent',
    model: null,
    timing: { kind: 'cron', cron: '* * * * *', timezone: 'UTC' },
    threadId: null,
    missed: 'run_once',
    webhook: null,
    pausedBecause: null,
    nextRunAt: 60_000,
    createdAt: 1,
    updatedAt: 1,
    ...fields,
  };
}
