// Threads: create, search, count, get, patch, copy, delete, under both prefixes (decisions, section 3).
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { toStateDelta } from '../../runs/state-fields.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { StateUpdate, ThreadStateService } from '../../threads/thread-state-service.ts';
import type { Clients } from '../clients.ts';
import type { AppContext } from '../context.ts';
import { setPageHeaders } from '../page-headers.ts';
import {
  presentThread,
  type ShownThreadState,
  type ThreadBody,
  threadBodySchema,
} from '../presenters/thread.ts';
import { queryBoolean } from '../query-list.ts';
import type { RouteFamily } from '../route-family.ts';
import type { RouteTable } from '../route-table.ts';
import { selectFields } from '../select-fields.ts';
import {
  type CreateThread,
  createThreadSchema,
  patchThreadSchema,
  type ThreadSearch,
  threadCountSchema,
  threadSearchSchema,
} from './thread-requests.ts';

/** The state that a thread shows; `null` before it has one. */
export type ShowThreadState = (
  repositories: Repositories,
  thread: ThreadRecord,
) => Promise<ShownThreadState | null>;

export interface ThreadRouteDependencies {
  readonly threads: ThreadService;
  readonly clients: Clients;
  readonly showThreadState: ShowThreadState;
  readonly updateThreadState: ThreadStateService['update'];
  readonly newId?: () => string;
}

const THREAD_ANSWER = { description: 'The thread', schema: threadBodySchema };

export function mountThreadRoutes(
  routes: RouteTable,
  family: RouteFamily,
  dependencies: ThreadRouteDependencies,
): void {
  mountCollection(routes, family, dependencies);
  mountMember(routes, family, dependencies);
}

function mountCollection(
  routes: RouteTable,
  family: RouteFamily,
  dependencies: ThreadRouteDependencies,
): void {
  const { threads, showThreadState, newId = randomUUID } = dependencies;
  const { tag } = family;
  const collection = `${family.prefix}/threads`;
  const present = threadPresenter(family, showThreadState);

  routes.add({
    method: 'post',
    path: collection,
    tag,
    summary: 'Create a thread',
    body: { kind: 'json', schema: createThreadSchema },
    answers: { 200: THREAD_ANSWER },
    handle: async (c, { body }) => {
      const updates = beginnings(body, newId);
      const thread = await threads.create(c.var.repositories, {
        threadId: body.thread_id,
        metadata: body.metadata,
        assistantId: body.assistant_id,
        ifExists: body.if_exists === 'raise' ? 'raise' : 'return',
      });
      return c.json(await present(c, await begun(c, dependencies, { thread, updates })));
    },
  });

  routes.add({
    method: 'post',
    path: `${collection}/search`,
    access: 'read',
    tag,
    summary: "Search the user's threads",
    body: { kind: 'json', schema: threadSearchSchema(family.searchLimit) },
    answers: {
      200: {
        description: 'One page; the headers tell the total and the next offset',
        schema: z.array(threadBodySchema),
      },
    },
    handle: async (c, { body }) => {
      const page = await threads.search(c.var.repositories, {
        ...filterOf(body),
        limit: body.limit,
        offset: body.offset,
        sortBy: body.sort_by === 'state_updated_at' ? 'updated_at' : body.sort_by,
        sortOrder: body.sort_order,
      });
      setPageHeaders(c, { offset: body.offset, length: page.threads.length, total: page.total });
      const found: unknown[] = [];
      for (const thread of page.threads)
        found.push(await presentFound(c, thread, { present, select: body.select }));
      return c.json(found);
    },
  });

  routes.add({
    method: 'post',
    path: `${collection}/count`,
    access: 'read',
    tag,
    summary: "Count the user's threads",
    body: { kind: 'json', schema: threadCountSchema },
    answers: { 200: { description: 'How many threads match', schema: z.number() } },
    handle: async (c, { body }) => c.json(await threads.count(c.var.repositories, filterOf(body))),
  });
}

function mountMember(
  routes: RouteTable,
  family: RouteFamily,
  { threads, clients, showThreadState }: ThreadRouteDependencies,
): void {
  const { tag } = family;
  const member = `${family.prefix}/threads/{thread_id}`;
  const present = threadPresenter(family, showThreadState);

  routes.add({
    method: 'get',
    path: member,
    tag,
    summary: 'Get a thread',
    thread: 'read',
    answers: { 200: THREAD_ANSWER },
    handle: async (c) => c.json(await present(c, c.var.thread)),
  });

  routes.add({
    method: 'patch',
    path: member,
    tag,
    summary: 'Merge metadata into a thread',
    thread: 'write',
    body: { kind: 'json', schema: patchThreadSchema },
    answers: { 200: THREAD_ANSWER, 204: { description: 'Changed, with `Prefer: return=minimal`' } },
    handle: async (c, { body }) => {
      const thread = await threads.patch(c.var.repositories, c.var.thread.threadId, body.metadata ?? {});
      if (family.kind === 'runtime' && wantsMinimal(c)) return c.body(null, 204);
      return c.json(await present(c, thread));
    },
  });

  routes.add({
    method: 'post',
    path: `${member}/copy`,
    tag,
    summary: 'Make an independent thread with the state of this one',
    thread: 'read',
    answers: { 200: THREAD_ANSWER },
    handle: async (c) => c.json(await present(c, await threads.copy(c.var.repositories, c.var.thread))),
  });

  routes.add({
    method: 'delete',
    path: member,
    tag,
    summary: 'Delete a thread with everything that belongs to it',
    thread: 'write',
    query: z.object({ force: queryBoolean().optional() }),
    answers: deleteAnswers(family),
    handle: async (c, { query }) => {
      const activeRuns = query.force === true ? 'cancel' : 'refuse';
      const clientIp = clients.ip(c);
      await threads.delete(c.var.repositories, c.var.thread, { activeRuns, clientIp });
      if (family.kind === 'runtime') return c.body(null, 204);
      return c.json({ success: true, message: `Thread ${c.var.thread.threadId} was deleted` });
    },
  });
}

/** What the thread is to begin with; throws `validation_failed` before anything is made. */
function beginnings({ supersteps = [] }: CreateThread, newId: () => string): readonly StateUpdate[] {
  return supersteps
    .flatMap(({ updates }) => updates)
    .map(({ values, as_node }) => ({ delta: toStateDelta(values ?? {}, newId), asNode: as_node ?? null }));
}

interface Beginning {
  readonly thread: ThreadRecord;
  readonly updates: readonly StateUpdate[];
}

/** The thread with its first states; one that has a state already stays as it is. */
async function begun(
  c: AppContext,
  { updateThreadState }: ThreadRouteDependencies,
  { thread, updates }: Beginning,
): Promise<ThreadRecord> {
  if (thread.headCheckpointId !== null) return thread;
  const { repositories } = c.var;
  let current = thread;
  for (const update of updates) {
    await updateThreadState(repositories, current, update);
    current = (await repositories.threads.get(thread.threadId)) ?? current;
  }
  return current;
}

type PresentThread = (c: AppContext, thread: ThreadRecord) => Promise<ThreadBody>;

/** The runtime shows the state with a single thread, as its clients expect; the gateway what the person is asked. */
function threadPresenter({ kind }: RouteFamily, showThreadState: ShowThreadState): PresentThread {
  return async (c, thread) => {
    if (kind === 'gateway' && thread.status !== 'interrupted') return presentThread(thread);
    const shown = await showThreadState(c.var.repositories, thread);
    return presentThread(thread, kind === 'gateway' ? { interrupts: shown?.interrupts ?? {} } : shown);
  };
}

/** A search shows titles; the state of every thread found only when `select` asks for `values`. */
async function presentFound(
  c: AppContext,
  thread: ThreadRecord,
  { present, select }: { readonly present: PresentThread; readonly select: ThreadSearch['select'] },
) {
  if (select === undefined) return presentThread(thread);
  const body = select.includes('values') ? await present(c, thread) : presentThread(thread);
  return selectFields(body, select);
}

function deleteAnswers({ kind }: RouteFamily) {
  if (kind === 'runtime') return { 204: { description: 'Deleted' } };
  return { 200: { description: 'Deleted', schema: z.object({ success: z.boolean(), message: z.string() }) } };
}

function filterOf({ metadata, status, ids }: Pick<ThreadSearch, 'metadata' | 'status' | 'ids'>) {
  return {
    ...(metadata !== undefined && { metadata }),
    ...(status !== undefined && { status }),
    ...(ids !== undefined && { ids }),
  };
}

function wantsMinimal(c: AppContext): boolean {
  return /(?:^|[\s,;])return=minimal(?:$|[\s,;])/.test(c.req.header('prefer') ?? '');
}
