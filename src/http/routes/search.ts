// Full-text search over the titles and the messages of the user's threads.
import { z } from 'zod';
import { parseSearchQuery } from '../../messages/search/search-query.ts';
import { queryLimit, queryOffset } from '../api/query-list.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { foundThreadSchema, presentFoundThread } from '../presenters/thread.ts';

const MAX_QUERY = 500;
/** Every page is searched from the beginning. Clients that need more request larger pages. */
const MAX_OFFSET = 1_000;

const querySchema = z.object({
  q: z.string().max(MAX_QUERY).meta({
    description: 'Words that must all occur; the last one matches as a prefix. Put phrases in quotes.',
  }),
  limit: queryLimit('Threads', { max: 50, usual: 20 }),
  offset: queryOffset('Threads', MAX_OFFSET),
});

const responseSchema = z.object({
  results: z.array(foundThreadSchema),
  has_more: z.boolean(),
  next_offset: z.int().nullable(),
});

export function searchRoutes(routes: RouteTable): void {
  routes.get('/api/search', {
    operationId: 'searchMessages',
    summary: "Find the user's threads by words in their titles and messages",
    query: querySchema,
    responses: ok(
      'Threads with the words in the title first, then by the newest matching message',
      responseSchema,
    ),
    handle: async (c, { query: { q, limit, offset } }) => {
      const { search } = c.var.repositories;
      const { threads, hasMore } = await search.find(parseSearchQuery(q), { limit, offset });
      const next = offset + threads.length;
      return c.json({
        results: threads.map(presentFoundThread),
        has_more: hasMore,
        next_offset: hasMore && next <= MAX_OFFSET ? next : null,
      });
    },
  });
}
