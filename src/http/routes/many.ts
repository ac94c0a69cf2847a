// Requests of the SDK that affect several threads or runs.
import { z } from 'zod';
import { ServiceError, validationFailed } from '../../errors.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { AppContext } from '../api/context.ts';
import { findThread } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { threadIdInput } from './thread-requests.ts';

interface ManyRouteDependencies {
  readonly runs: Pick<RunService, 'get' | 'find' | 'cancel'>;
  readonly threads: Pick<ThreadService, 'delete'>;
}

const MOST = 1_000;
const THREAD_EXAMPLE = '01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20';
const runId = z.string().min(1).max(128);

const pruneBody = z
  .object({
    thread_ids: z.array(threadIdInput).min(1).max(MOST),
    strategy: z.enum(['delete', 'keep_latest']).default('delete'),
  })
  .meta({ id: 'PruneThreads', examples: [{ thread_ids: [THREAD_EXAMPLE], strategy: 'keep_latest' }] });
const cancelBody = z
  .object({
    thread_id: threadIdInput.optional(),
    run_ids: z.array(runId).min(1).max(MOST).optional(),
    status: z.enum(['pending', 'running', 'all']).optional(),
  })
  .refine((body) => Object.values(body).some((it) => it !== undefined), 'Name runs, a thread or a status')
  .meta({ id: 'CancelRuns', examples: [{ thread_id: THREAD_EXAMPLE, status: 'all' }] });
type CancelBody = z.output<typeof cancelBody>;
const cancelQuery = z.object({
  action: z
    .enum(['interrupt', 'rollback'])
    .default('interrupt')
    .describe('`rollback` also undoes the changes of the runs'),
});

export function manyRoutes(
  routes: RouteTable,
  family: RouteFamily,
  { runs, threads }: ManyRouteDependencies,
): void {
  mountPruning(routes, family, threads);
  mountCancelling(routes, family, runs);
}

function mountPruning(
  routes: RouteTable,
  { prefix }: RouteFamily,
  threads: ManyRouteDependencies['threads'],
): void {
  routes.post(`${prefix}/threads/prune`, {
    operationId: 'pruneThreads',
    summary: 'Delete several threads; busy and unknown ones are skipped',
    body: { kind: 'json', schema: pruneBody },
    responses: ok('How many', z.object({ pruned_count: z.int() })),
    handle: async (c, { body }) => {
      // Checkpoints store deltas, so the state of the latest one consists mostly of older checkpoints.
      if (body.strategy === 'keep_latest')
        throw validationFailed(
          ['body', 'strategy'],
          "'keep_latest' would free nothing: a checkpoint is stored as the difference to the one before. Use 'delete'",
        );
      const { repositories } = c.var;
      let pruned = 0;
      for (const threadId of new Set(body.thread_ids)) {
        const thread = await repositories.threads.get(threadId);
        if (thread === undefined || thread.userId === null) continue;
        const deleted = threads.delete(repositories, thread, {
          activeRuns: 'refuse',
          clientIp: c.var.client.ip,
        });
        if (await isDone(deleted)) pruned += 1;
      }
      return c.json({ pruned_count: pruned });
    },
  });
}

/** Whether the thread was deleted. False when a run is active or another request deleted the thread first. */
async function isDone(deleting: Promise<void>): Promise<boolean> {
  try {
    await deleting;
    return true;
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found'))
      return false;
    throw error;
  }
}

function mountCancelling(
  routes: RouteTable,
  { prefix }: RouteFamily,
  runs: ManyRouteDependencies['runs'],
): void {
  routes.post(`${prefix}/runs/cancel`, {
    operationId: 'cancelRuns',
    errors: ['not_found'],
    summary: 'Cancel several runs: by their ids, or all active ones of a thread or of the user',
    body: { kind: 'json', schema: cancelBody },
    query: cancelQuery,
    responses: { 204: { description: 'They are being cancelled' } },
    handle: async (c, { body, query }) => {
      const { repositories } = c.var;
      const chosen =
        body.run_ids === undefined
          ? await activeRuns(c, body)
          : await namedRuns(runs, repositories, { ...body, run_ids: body.run_ids });
      for (const run of chosen) await runs.cancel(repositories, run, { action: query.action });
    },
  });
}

/** Returns the named runs. Throws `not_found` before anything is cancelled. */
async function namedRuns(
  runs: ManyRouteDependencies['runs'],
  repositories: Repositories,
  { thread_id: threadId, run_ids: runIds }: CancelBody & { readonly run_ids: readonly string[] },
): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  for (const runId of runIds) {
    const run =
      threadId === undefined ? runs.find(repositories, runId) : runs.get(repositories, threadId, runId);
    found.push(await run);
  }
  return found;
}

const STATUSES = {
  pending: ['pending'],
  running: ['running'],
  // Pending runs come first: they would start once the running ones have ended.
  all: ['pending', 'running'],
} as const;

async function activeRuns(
  c: AppContext,
  { thread_id: threadId, status = 'all' }: CancelBody,
): Promise<readonly RunRecord[]> {
  const { repositories } = c.var;
  if (threadId !== undefined) await findThread(c, threadId, 'write');
  const threadIds = threadId === undefined ? await busyThreads(repositories) : [threadId];
  const found: RunRecord[] = [];
  for (const wanted of STATUSES[status]) {
    for (const id of threadIds)
      found.push(...(await repositories.runs.list(id, { status: wanted, limit: MOST, offset: 0 })));
  }
  return found;
}

/** Returns the ids of the user's own busy threads. */
async function busyThreads({ threads }: Repositories): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += MOST) {
    const page = await threads.search({
      status: 'busy',
      limit: MOST,
      offset,
      sortBy: 'thread_id',
      sortOrder: 'asc',
    });
    ids.push(...page.flatMap((thread) => (thread.userId === null ? [] : [thread.threadId])));
    if (page.length < MOST) return ids;
  }
}
