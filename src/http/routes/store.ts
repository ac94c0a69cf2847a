// The SDK's store: the user's items by namespace and key.
import { z } from 'zod';
import type { Log } from '../../log.ts';
import { boundedObject, metadataObject } from '../../messages/bounded-json.ts';
import { createItemScore, parseItemFilter } from '../../store/item-search.ts';
import type { StoreOptions } from '../../store/store-options.ts';
import type { StoreOwner, StoreService } from '../../store/store-service.ts';
import type { AppContext } from '../api/context.ts';
import { queryBoolean } from '../api/query-list.ts';
import { RUNTIME } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presenterOf } from '../presenters/presenter-of.ts';
import { jsonObject, timeField } from '../presenters/wire-fields.ts';
import { listInPieces, respondInPieces } from '../streams/json-pieces.ts';

export interface StoreRouteDependencies {
  readonly store: StoreService;
  readonly storeOptions: StoreOptions;
  readonly log: Log;
}

const MAX_LABELS = 16;
const MAX_NAMESPACE_BYTES = 1_024;
const MAX_KEY_BYTES = 512;
const MAX_PAGE = 1_000;
const MAX_QUERY_CHARACTERS = 1_024;
const MAX_VALUE_KEYS = 1_000;
/** Ten years. */
const MAX_TTL_MINUTES = 5_256_000;
const MINUTE_MS = 60_000;
const CONTROL = /\p{Cc}/u;

const isPlain = (text: string) => text.isWellFormed() && !CONTROL.test(text);

const label = z
  .string()
  .min(1)
  .max(MAX_NAMESPACE_BYTES)
  .refine((text) => !text.includes('.'), 'A namespace label must not contain a dot')
  .refine(isPlain, 'A namespace label must not contain control characters');
const labels = z
  .array(label)
  .max(MAX_LABELS)
  .refine(
    (namespace) => Buffer.byteLength(namespace.join('.')) <= MAX_NAMESPACE_BYTES,
    `A namespace has at most ${MAX_NAMESPACE_BYTES} bytes`,
  );
const namespace = labels.min(1);
const key = z
  .string()
  .min(1)
  .max(MAX_KEY_BYTES)
  .refine((text) => Buffer.byteLength(text) <= MAX_KEY_BYTES, `A key has at most ${MAX_KEY_BYTES} bytes`)
  .refine(isPlain, 'A key must not contain control characters');
const page = {
  limit: z.int().min(1).max(MAX_PAGE),
  offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
};

const NAME_EXAMPLE = { namespace: ['preferences', 'ann'], key: 'tea' };
const nameBody = z.object({ namespace, key }).meta({ id: 'StoreItemName', examples: [NAME_EXAMPLE] });
const nameQuery = z.object({
  namespace: z
    .string()
    .max(MAX_NAMESPACE_BYTES)
    .transform((text) => text.split('.'))
    .pipe(namespace)
    .meta({
      type: 'string',
      maxLength: MAX_NAMESPACE_BYTES,
      description: 'Labels of the namespace, joined by dots',
    }),
  key: key.describe('The name of the item in its namespace'),
  refresh_ttl: queryBoolean().default(true).describe('Whether reading the item restarts its time to live'),
});
const searchBody = z
  .object({
    namespace_prefix: labels,
    filter: metadataObject.optional(),
    query: z.string().max(MAX_QUERY_CHARACTERS).optional(),
    refresh_ttl: z.boolean().default(true),
    ...page,
    limit: page.limit.default(10),
  })
  .meta({ id: 'StoreSearch', examples: [{ namespace_prefix: ['preferences'], query: 'tea' }] });
const namespacesBody = z
  .object({
    prefix: labels.default([]),
    suffix: labels.default([]),
    max_depth: z.int().min(1).max(MAX_LABELS).optional(),
    ...page,
    limit: page.limit.default(100),
  })
  .meta({ id: 'StoreNamespaces', examples: [{ prefix: ['preferences'] }] });

const storeItemBodySchema = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: jsonObject,
    created_at: timeField,
    updated_at: timeField,
    /** `null` if it stays until it is deleted. */
    expires_at: timeField.nullable(),
  })
  .meta({ id: 'StoreItem' });

const foundItemBodySchema = storeItemBodySchema
  .extend({ score: z.number().nullable() })
  .meta({ id: 'FoundStoreItem' });

const presentStoreItem = presenterOf(storeItemBodySchema);

const ITEMS = `${RUNTIME.prefix}/store/items`;

export function storeRoutes(routes: RouteTable, dependencies: StoreRouteDependencies): void {
  mountItems(routes, dependencies);
  mountSearch(routes, dependencies);
}

function mountItems(routes: RouteTable, { store, storeOptions }: StoreRouteDependencies): void {
  const value = boundedObject({ keys: MAX_VALUE_KEYS, bytes: storeOptions.max_value_kb * 1_024 });
  const ttl = z.number().min(0.001).max(MAX_TTL_MINUTES).optional().describe('Minutes');
  const itemBody = nameBody.extend({ value, ttl }).meta({
    id: 'NewStoreItem',
    examples: [{ ...NAME_EXAMPLE, value: { kind: 'green', cups: 2 } }],
  });

  routes.put(ITEMS, {
    operationId: 'putStoreItem',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Store or replace an item',
    body: { kind: 'json', schema: itemBody },
    responses: { 204: { description: 'Stored' } },
    handle: async (c, { body }) => {
      const ttlMs = body.ttl === undefined ? null : Math.ceil(body.ttl * MINUTE_MS);
      await store.put(ownerOf(c), { ...body, ttlMs });
    },
  });

  routes.get(ITEMS, {
    operationId: 'getStoreItem',
    summary: 'Get an item; null when there is none',
    query: nameQuery,
    responses: ok('The item, or null', storeItemBodySchema.nullable()),
    handle: async (c, { query }) => {
      const item = await store.get(ownerOf(c), query, query.refresh_ttl);
      return c.json(item === undefined ? null : presentStoreItem(item));
    },
  });

  routes.delete(ITEMS, {
    operationId: 'deleteStoreItem',
    summary: 'Delete an item, if it exists',
    body: { kind: 'json', schema: nameBody },
    responses: { 204: { description: 'It is not there' } },
    handle: (c, { body }) => store.delete(ownerOf(c), body),
  });
}

function mountSearch(routes: RouteTable, { store, log }: StoreRouteDependencies): void {
  routes.post(`${ITEMS}/search`, {
    access: 'read',
    operationId: 'searchStoreItems',
    summary: 'Search items below a namespace by fields and by words',
    body: { kind: 'json', schema: searchBody },
    responses: ok('Items found', z.object({ items: z.array(foundItemBodySchema) })),
    handle: async (c, { body }) => {
      const { namespace_prefix: prefix, filter, query = '', limit, offset } = body;
      const search = {
        prefix,
        filter: filter === undefined ? undefined : parseItemFilter(filter),
        score: query === '' ? undefined : createItemScore(query),
        limit,
        offset,
        refresh: body.refresh_ttl,
      };
      const items = await store.search(ownerOf(c), search, c.req.raw.signal);
      const list = listInPieces(items, (item) => [
        JSON.stringify({ ...presentStoreItem(item), score: item.score }),
      ]);
      return respondInPieces(c, asItems(list), log);
    },
  });

  routes.post(`${RUNTIME.prefix}/store/namespaces`, {
    access: 'read',
    operationId: 'listStoreNamespaces',
    summary: 'List namespaces that have items',
    body: { kind: 'json', schema: namespacesBody },
    responses: ok('Namespaces', z.object({ namespaces: z.array(z.array(z.string())) })),
    handle: async (c, { body }) => {
      const { prefix, suffix, max_depth: maxDepth, limit, offset } = body;
      const pattern = { prefix, suffix, maxDepth, limit, offset };
      return c.json({ namespaces: await store.namespaces(ownerOf(c), pattern) });
    },
  });
}

async function* asItems(list: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  yield '{"items":';
  yield* list;
  yield '}';
}

function ownerOf(c: AppContext): StoreOwner {
  return { userId: c.var.user.id, storeItems: c.var.repositories.storeItems };
}
