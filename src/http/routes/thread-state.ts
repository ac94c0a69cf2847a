// State and history of a thread, under both prefixes (docs/contract/state.md#shapes).
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Log } from '../../log.ts';
import { metadataObject } from '../../messages/bounded-json.ts';
import { stateFieldsSchema, toStateDelta } from '../../runs/request/state-fields.ts';
import type { HistoryQuery, ThreadStateService } from '../../threads/thread-state-service.ts';
import type { StateAt, StateUpdate } from '../../threads/update-state.ts';
import type { AppContext } from '../api/context.ts';
import { queryInteger } from '../api/query-list.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  checkpointConfig,
  checkpointMetadata,
  gatewayHistoryPieces,
  statePieces,
  stateSchemas,
} from '../presenters/state.ts';
import { listInPieces, respondInPieces } from '../streams/json-pieces.ts';

export interface ThreadStateRouteDependencies {
  readonly threadStates: ThreadStateService;
  readonly log: Log;
  readonly newId: () => string;
}

const checkpointId = z.string().min(1).max(128);
const checkpointRef = z.object({ checkpoint_id: checkpointId.nullish() });

const MAX_HISTORY = 100;
const DEFAULT_HISTORY = 10;
const historyBody = z
  .object({
    limit: z.int().min(1).max(MAX_HISTORY).nullish(),
    before: z
      .union([checkpointId, checkpointRef.extend({ configurable: checkpointRef.nullish() })])
      .nullish(),
    /** Only checkpoints whose metadata has exactly these values. */
    metadata: metadataObject.nullish(),
    /** `checkpoint_ns` names a graph inside the graph. The root, `""`, is the only one. */
    checkpoint: z.object({ checkpoint_ns: z.string().max(256).nullish() }).nullish(),
  })
  .meta({ id: 'HistoryRequest', examples: [{ limit: 10 }] });
type HistoryBody = z.output<typeof historyBody>;
const historyQuery = z.object({
  limit: queryInteger({ min: 1, max: MAX_HISTORY }).optional().meta({
    description: 'The most checkpoints to return; takes precedence over the body',
    default: DEFAULT_HISTORY,
  }),
  before: checkpointId
    .optional()
    .describe('The id of a checkpoint: only older ones are returned; takes precedence over the body'),
});

const updateBody = z
  .object({
    values: stateFieldsSchema.nullish(),
    as_node: z.string().min(1).max(128).nullish(),
    checkpoint_id: checkpointId.nullish(),
    checkpoint: checkpointRef.nullish(),
  })
  .meta({ id: 'StateUpdate', examples: [{ values: { title: 'Tea and honey' }, as_node: 'model' }] });

const atCheckpointBody = z.object({ checkpoint: checkpointRef }).meta({
  id: 'AtCheckpoint',
  examples: [{ checkpoint: { checkpoint_id: '01993f5a-a310-7f52-9c1d-8b7a6e5d4c3f' } }],
});

export function threadStateRoutes(
  routes: RouteTable,
  family: RouteFamily,
  parts: ThreadStateRouteDependencies,
): void {
  mountState(routes, family, parts);
  mountHistory(routes, family, parts);
}

function mountState(routes: RouteTable, family: RouteFamily, parts: ThreadStateRouteDependencies): void {
  const { threadStates, log } = parts;
  const thread = `${family.prefix}/threads/{thread_id}`;
  const shown = { description: 'The state', schema: stateSchemas(family).state };
  const respond = (c: AppContext, at: StateAt | undefined) =>
    respondInPieces(c, statePieces(family, c.var.thread.threadId, at), log);
  const stateAt = async (c: AppContext, checkpointId: string | undefined) =>
    respond(c, await threadStates.get(c.var.repositories, c.var.thread, checkpointId));

  routes.get(`${thread}/state`, {
    operationId: 'getState',
    summary: 'The state of the thread',
    thread: 'read',
    responses: { 200: shown },
    handle: (c) => stateAt(c, undefined),
  });
  routes.get(`${thread}/state/{checkpoint_id}`, {
    operationId: 'getStateAt',
    summary: 'The state of the thread at a checkpoint',
    thread: 'read',
    responses: { 200: shown },
    handle: (c) => stateAt(c, c.req.param('checkpoint_id')),
  });
  routes.post(`${thread}/state/checkpoint`, {
    access: 'read',
    operationId: 'getStateAtCheckpoint',
    summary: 'The state of the thread at a checkpoint, named in the body',
    thread: 'read',
    body: { kind: 'json', schema: atCheckpointBody },
    responses: { 200: shown },
    handle: (c, { body }) => stateAt(c, body.checkpoint.checkpoint_id ?? undefined),
  });
  routes.post(`${thread}/state`, {
    operationId: 'updateState',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Change the state of the thread; refused while a run is active',
    thread: 'write',
    body: { kind: 'json', schema: updateBody },
    responses: ok('The state, or its checkpoint', stateSchemas(family).updated),
    handle: async (c, { body }) => {
      const at = await threadStates.update(c.var.repositories, c.var.thread, toUpdate(body, parts.newId));
      if (family.kind === 'gateway') return respond(c, at);
      return c.json({ checkpoint: checkpointConfig(c.var.thread.threadId, at.checkpoint.checkpointId) });
    },
  });
}

function mountHistory(
  routes: RouteTable,
  family: RouteFamily,
  { threadStates, log }: ThreadStateRouteDependencies,
): void {
  const history = `${family.prefix}/threads/{thread_id}/history`;
  const route = {
    summary: 'Checkpoints of the thread, newest first',
    thread: 'read',
    query: historyQuery,
    responses: ok('A list of checkpoints', z.array(stateSchemas(family).entry)),
  } as const;
  const result = async (c: AppContext, body: HistoryBody, query: z.output<typeof historyQuery>) => {
    const before = query.before ?? beforeOf(body);
    const entries = await threadStates.history(c.var.repositories, c.var.thread, {
      limit: query.limit ?? body.limit ?? DEFAULT_HISTORY,
      ...(before === undefined ? {} : { before }),
      namespace: body.checkpoint?.checkpoint_ns ?? '',
      ...whereOf(body),
    });
    const { threadId } = c.var.thread;
    const piecesOf = (at: StateAt, index: number) =>
      family.kind === 'runtime'
        ? statePieces(family, threadId, at)
        : gatewayHistoryPieces(at, index === 0 && before === undefined ? 'newest' : 'older');
    return respondInPieces(c, listInPieces(entries, piecesOf), log);
  };
  routes.post(history, {
    ...route,
    access: 'read',
    operationId: 'searchHistory',
    body: { kind: 'json', schema: historyBody, optional: true },
    handle: (c, { body, query }) => result(c, body, query),
  });
  routes.get(history, {
    ...route,
    operationId: 'listHistory',
    handle: (c, { query }) => result(c, {}, query),
  });
}

function whereOf({ metadata }: HistoryBody): Pick<HistoryQuery, 'where'> {
  const wanted = Object.entries(metadata ?? {});
  if (wanted.length === 0) return {};
  return {
    where: (checkpoint) => {
      const shown = checkpointMetadata(checkpoint);
      return wanted.every(([key, value]) => isDeepStrictEqual(shown[key], value));
    },
  };
}

function beforeOf({ before }: HistoryBody): string | undefined {
  if (before === undefined || before === null) return undefined;
  if (typeof before === 'string') return before;
  return before.configurable?.checkpoint_id ?? before.checkpoint_id ?? undefined;
}

function toUpdate(body: z.output<typeof updateBody>, newId: () => string): StateUpdate {
  const id = body.checkpoint_id ?? body.checkpoint?.checkpoint_id ?? undefined;
  return {
    delta: toStateDelta(body.values ?? {}, newId),
    asNode: body.as_node ?? null,
    ...(id === undefined ? {} : { checkpointId: id }),
  };
}
