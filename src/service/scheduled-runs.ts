// Checks the requirements of scheduled runs and starts them.
import { notFound, ServiceError, validationFailed } from '../errors.ts';
import { GATEWAY } from '../http/api/route-family.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { Assistants } from '../runs/admission/assistants.ts';
import { runBodySchema, toRunRequest } from '../runs/request/run-body.ts';
import type { RunService } from '../runs/service/run-service.ts';
import type { StartOutcome } from '../schedules/firing.ts';
import type { RunRecord } from '../storage/runs.ts';
import type { ClaimedFire, PauseReason, ScheduleDefinition } from '../storage/schedules.ts';
import type { Repositories, Storage } from '../storage/storage.ts';
import type { ThreadService } from '../threads/thread-service.ts';

interface ScheduledRunParts {
  readonly storage: Pick<Storage, 'as'>;
  readonly runs: Pick<RunService, 'start' | 'findRepeated'>;
  readonly threads: Pick<ThreadService, 'create' | 'delete'>;
  readonly assistants: Assistants;
  readonly catalog: ModelCatalog;
  /** Throws for a webhook address that would not be called. */
  readonly checkWebhook: (address: string) => void;
  readonly newId: () => string;
}

/** Throws for a thread, agent, model or webhook with which no run can start. */
export async function requireRunnable(
  parts: ScheduledRunParts,
  userId: string,
  definition: ScheduleDefinition,
): Promise<void> {
  const { storage, assistants, catalog, checkWebhook } = parts;
  const repositories = storage.as(userId);
  const { model, webhook, assistantId, threadId } = definition;
  const missing = await whatIsMissing(parts, repositories, { userId, threadId, assistantId });
  if (missing !== undefined) throw notFound(missing === 'agent_missing' ? 'Assistant' : 'Thread');
  if (webhook !== null) checkWebhook(webhook);
  if (model === null) return;
  if (catalog.get(model) === undefined) {
    const known = catalog.list().map(({ name }) => name);
    throw validationFailed(['body', 'model'], `There is no such model. Choose from ${known.join(', ')}.`);
  }
  const own = (await assistants.find(repositories, assistantId))?.model ?? model;
  if (own !== model)
    throw validationFailed(
      ['body', 'model'],
      `This agent works with the model '${own}'. Leave model out, or choose another agent.`,
    );
}

interface Needed extends Pick<ScheduleDefinition, 'threadId' | 'assistantId'> {
  readonly userId: string;
}

async function whatIsMissing(
  { assistants }: ScheduledRunParts,
  repositories: Repositories,
  { userId, threadId, assistantId }: Needed,
): Promise<PauseReason | undefined> {
  const thread = threadId === null ? undefined : await repositories.threads.get(threadId);
  if (threadId !== null && thread?.userId !== userId) return 'thread_deleted';
  return (await assistants.find(repositories, assistantId)) === undefined ? 'agent_missing' : undefined;
}

const MISSING = {
  thread_deleted: 'The thread of this schedule was deleted.',
  agent_missing: 'The agent of this schedule no longer exists. Choose another one and resume the schedule.',
} as const satisfies Partial<Record<PauseReason, string>>;

/** Starts a scheduled run. A second attempt finds the first one's run by key, and its thread by id. */
export async function startRun(parts: ScheduledRunParts, fire: ClaimedFire): Promise<StartOutcome> {
  const { storage, runs, threads, newId } = parts;
  const { schedule, threadId } = fire;
  const repositories = storage.as(schedule.userId);
  const idempotencyKey = keyOf(fire);
  const request = toRunRequest(bodyOf(fire), { recursionLimit, multitaskStrategy, idempotencyKey }, newId);
  const repeated = await runs.findRepeated(repositories, request);
  if (repeated !== undefined) return started(repeated);
  const missing = await whatIsMissing(parts, repositories, schedule);
  if (missing === 'thread_deleted' || missing === 'agent_missing')
    return { kind: 'gone', pause: missing, detail: MISSING[missing] };
  const { userId } = schedule;
  const metadata = { schedule_id: schedule.scheduleId };
  const thread =
    schedule.threadId === null
      ? await threads.create(repositories, { userId, threadId, metadata })
      : undefined;
  try {
    return started(await runs.start(repositories, threadId, request));
  } catch (error) {
    // An empty thread is of no use.
    if (thread !== undefined && isFinal(error))
      await threads.delete(repositories, thread, { activeRuns: 'refuse' }).catch(() => undefined);
    throw error;
  }
}

function started({ runId, threadId }: RunRecord): StartOutcome {
  return { kind: 'started', runId, threadId };
}

/** The defaults of `/api`, except that the run waits for a busy thread. */
const { recursionLimit } = GATEWAY;
const multitaskStrategy = 'enqueue';

function bodyOf({ schedule, slot }: ClaimedFire) {
  const { assistantId, prompt, model, webhook, scheduleId } = schedule;
  return runBodySchema.parse({
    assistant_id: assistantId,
    input: { messages: [{ role: 'user', content: prompt }] },
    config: { configurable: model === null ? {} : { model_name: model } },
    metadata: { schedule_id: scheduleId, schedule_slot: new Date(slot).toISOString() },
    webhook,
  });
}

/** Headers cannot contain a line break, so this key never equals one that a client sent. */
function keyOf({ schedule, slot }: ClaimedFire): string {
  return `schedule\n${schedule.scheduleId}\n${slot}`;
}

function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && error.code !== 'too_many_waiting' && error.code !== 'unavailable';
}
