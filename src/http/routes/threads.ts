// Threads: create, search, count, get, patch, copy, delete, under both prefixes (docs/contract/threads.md).

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../log.ts';
import { toStateDelta } from '../../runs/request/state-fields.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import type { StateUpdate } from '../../threads/update-state.ts';
import type { AppContext } from '../api/context.ts';
import { setPageHeaders } from '../api/list-page.ts';
import { queryBoolean } from '../api/query-list.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { foundThreadBodySchema, presentThread, threadBodySchema } from '../presenters/thread.ts';
import { listInPieces, objectInPieces, respondInPieces } from '../streams/json-pieces.ts';
import { countedThreads, foundPage, type PresentThread, presentedInTurn } from './thread-page.ts';
import {
  type CreateThread,
  createThreadSchema,
  patchThreadSchema,
  threadCountSchema,
  threadSearchSchema,
} from './thread-requests.ts';

export interface ThreadRouteDependencies {
  readonly threads: ThreadService;
  readonly threadStates: Pick<
    ThreadStateService,
    'show' | 'requireShowable' | 'update' | 'matching' | 'valuesOf'
  >;
  readonly log: Log;
  readonly newId?: () => string;
}

const THREAD_RESPONSE = { description: 'The thread', schema: threadBodySchema };

export function threadRoutes(
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
  const { threads, threadStates, log, newId = randomUUID } = dependencies;
  const collection = `${family.prefix}/threads`;
  const present = threadPresenter(family, threadStates);

  routes.post(collection, {
    operationId: 'createThread',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Create a thread',
    body: { kind: 'json', schema: createThreadSchema, optional: true },
    responses: { 200: THREAD_RESPONSE },
    handle: async (c, { body }) => {
      const updates = beginnings(body, newId);
      const thread = await threads.create(c.var.repositories, {
        userId: c.var.user.id,
        threadId: body.thread_id,
        metadata: body.metadata,
        assistantId: body.assistant_id,
        ifExists: body.if_exists === 'raise' ? 'raise' : 'return',
      });
      const begunThread = await begun(c, dependencies, { thread, updates });
      return respondInPieces(c, objectInPieces(await present(c, begunThread)), log);
    },
  });

  routes.post(`${collection}/search`, {
    access: 'read',
    operationId: 'searchThreads',
    summary: "Search the user's threads",
    body: { kind: 'json', schema: threadSearchSchema(family.searchLimit), optional: true },
    responses: ok('One page; headers give the total and the next offset', z.array(foundThreadBodySchema)),
    handle: async (c, { body }) => {
      const page = await foundPage(c, dependencies, body);
      setPageHeaders(c, { offset: body.offset, length: page.threads.length, total: page.total });
      const found = await presentedInTurn(c, page.threads, { present, threadStates, body });
      return respondInPieces(c, listInPieces(found, objectInPieces), log);
    },
  });

  routes.post(`${collection}/count`, {
    access: 'read',
    operationId: 'countThreads',
    summary: "Count the user's threads",
    body: { kind: 'json', schema: threadCountSchema, optional: true },
    responses: ok('How many threads match', z.number()),
    handle: async (c, { body }) => c.json(await countedThreads(c, dependencies, body)),
  });
}

function mountMember(
  routes: RouteTable,
  family: RouteFamily,
  { threads, threadStates, log }: ThreadRouteDependencies,
): void {
  const member = `${family.prefix}/threads/{thread_id}`;
  const present = threadPresenter(family, threadStates);

  routes.get(member, {
    operationId: 'getThread',
    summary: 'Get a thread',
    thread: 'read',
    responses: { 200: THREAD_RESPONSE },
    handle: async (c) => respondInPieces(c, objectInPieces(await present(c, c.var.thread)), log),
  });

  routes.patch(member, {
    operationId: 'updateThread',
    errors: ['conflict'],
    headers: ['Prefer'],
    summary: 'Merge metadata into a thread',
    thread: 'write',
    body: { kind: 'json', schema: patchThreadSchema },
    responses: { 200: THREAD_RESPONSE, 204: { description: 'Changed, with `Prefer: return=minimal`' } },
    handle: async (c, { body }) => {
      const thread = await threads.patch(c.var.repositories, c.var.thread, body.metadata ?? {});
      if (family.kind === 'runtime' && wantsMinimal(c)) return c.body(null, 204);
      return respondInPieces(c, objectInPieces(await present(c, thread)), log);
    },
  });

  routes.post(`${member}/copy`, {
    operationId: 'copyThread',
    errors: ['conflict', 'insufficient_storage', 'payload_too_large'],
    summary: 'Make an independent thread with the state of this one',
    thread: 'read',
    responses: { 200: THREAD_RESPONSE },
    handle: async (c) => {
      const copy = await threads.copy(c.var.repositories, c.var.thread);
      return respondInPieces(c, objectInPieces(await present(c, copy)), log);
    },
  });

  routes.delete(member, {
    operationId: 'deleteThread',
    errors: ['conflict'],
    summary: 'Delete a thread with everything that belongs to it',
    thread: 'write',
    query: z.object({
      force: queryBoolean().default(false).describe('Cancel active runs instead of refusing'),
    }),
    responses: deleteResponses(family),
    handle: async (c, { query }) => {
      const activeRuns = query.force ? 'cancel' : 'refuse';
      const clientIp = c.var.client.ip;
      await threads.delete(c.var.repositories, c.var.thread, { activeRuns, clientIp });
      if (family.kind === 'runtime') return c.body(null, 204);
      return c.json({ success: true, message: `Thread ${c.var.thread.threadId} was deleted` });
    },
  });
}

/** Returns the initial states of the thread. Throws `validation_failed` before anything is created. */
function beginnings({ supersteps = [] }: CreateThread, newId: () => string): readonly StateUpdate[] {
  return supersteps
    .flatMap(({ updates }) => updates)
    .map(({ values, as_node }) => ({ delta: toStateDelta(values ?? {}, newId), asNode: as_node ?? null }));
}

interface Beginning {
  readonly thread: ThreadRecord;
  readonly updates: readonly StateUpdate[];
}

/** Returns the thread with its initial states. Leaves a thread that already has a state unchanged. */
async function begun(
  c: AppContext,
  { threadStates }: ThreadRouteDependencies,
  { thread, updates }: Beginning,
): Promise<ThreadRecord> {
  if (thread.headCheckpointId !== null) return thread;
  const { repositories } = c.var;
  let current = thread;
  for (const update of updates) {
    await threadStates.update(repositories, current, update);
    current = (await repositories.threads.get(thread.threadId)) ?? current;
  }
  return current;
}

/**
 * Returns the presenter of a single thread. The runtime includes the state, as its clients expect; the
 * gateway includes the questions to the person.
 */
function threadPresenter(
  { kind }: RouteFamily,
  threadStates: Pick<ThreadStateService, 'show'>,
): PresentThread {
  return async (c, thread) => {
    if (kind === 'gateway' && thread.status !== 'interrupted') return presentThread(thread);
    const shown = await threadStates.show(c.var.repositories, thread);
    return presentThread(thread, kind === 'gateway' ? { interrupts: shown?.interrupts ?? {} } : shown);
  };
}

function deleteResponses({ kind }: RouteFamily) {
  if (kind === 'runtime') return { 204: { description: 'Deleted' } };
  return { 200: { description: 'Deleted', schema: z.object({ success: z.boolean(), message: z.string() }) } };
}

function wantsMinimal(c: AppContext): boolean {
  return /(?:^|[\s,;])return=minimal(?:$|[\s,;])/.test(c.req.header('prefer') ?? '');
}
