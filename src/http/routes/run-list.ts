// The runs of a thread, in pages. A run includes its input, which can be megabytes long.
import { z } from 'zod';
import type { AppContext } from '../api/context.ts';
import { selectFields } from '../api/list-page.ts';
import { queryInteger, queryNames } from '../api/query-list.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { runBodySchema } from '../presenters/run.ts';
import type { RunResponses } from '../runs/run-responses.ts';

const listQuery = z.object({
  limit: queryInteger({ min: 1, max: 1_000 })
    .optional()
    .meta({ description: 'Runs to answer, at most', default: 100 }),
  offset: queryInteger({ min: 0, max: 1_000_000 })
    .optional()
    .meta({ description: 'Runs to skip, from the newest on', default: 0 }),
  status: z
    .enum(['pending', 'running', 'success', 'error', 'interrupted', 'timeout'])
    .optional()
    .describe('Only runs with this status'),
  select: queryNames().optional().describe('Names of fields to return; unknown ones are ignored'),
});
type ListQuery = z.output<typeof listQuery>;

/** Mounts the list. Every run of a thread is on some page, however many there are. */
export function mountRunList(routes: RouteTable, family: RouteFamily, responses: RunResponses): void {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  routes.get(runs, {
    operationId: 'listRuns',
    summary: 'Runs of the thread, newest first',
    thread: 'read',
    query: listQuery,
    responses: ok(
      '`{runs}`; a bare array with `limit` or `offset`. A page ends earlier when its runs are long. `X-Pagination-Next` is the offset of the next page, if there is one',
      z.union([z.array(runBodySchema.partial()), z.object({ runs: z.array(runBodySchema.partial()) })]),
    ),
    handle: async (c, { query }) => {
      const { texts, next } = await pageOfRuns(c, responses, query);
      if (next !== undefined) c.header('X-Pagination-Next', String(next));
      const paged = query.limit !== undefined || query.offset !== undefined;
      const list = `[${texts.join(',')}]`;
      return c.body(paged ? list : `{"runs":${list}}`, 200, { 'Content-Type': 'application/json' });
    },
  });
}

/** Maximum number of runs read per query. */
const RUNS_AT_ONCE = 25;
/** Length at which a page ends early. */
const PAGE_CHARACTERS = 16_777_216;

interface RunPage {
  /** JSON, newest run first. */
  readonly texts: readonly string[];
  /** The offset of the next page; `undefined` at the end. */
  readonly next: number | undefined;
}

async function pageOfRuns(c: AppContext, responses: RunResponses, query: ListQuery): Promise<RunPage> {
  const { limit = 100, select } = query;
  // By run id, because a concurrently created run shifts the offsets of the others.
  const texts = new Map<string, string>();
  let characters = 0;
  for await (const { run, offset } of runsFrom(c, responses, query)) {
    const text = JSON.stringify(selectFields<unknown>(run, select));
    characters += text.length;
    const isFull = texts.size === limit || (texts.size > 0 && characters > PAGE_CHARACTERS);
    if (isFull) return { texts: [...texts.values()], next: offset };
    texts.set(run.run_id, text);
  }
  return { texts: [...texts.values()], next: undefined };
}

async function* runsFrom(
  c: AppContext,
  responses: RunResponses,
  { limit = 100, offset: first = 0, status }: ListQuery,
) {
  // One more run shows whether there is a next page.
  const atOnce = Math.min(RUNS_AT_ONCE, limit + 1);
  for (let offset = first; ; ) {
    const asked = { limit: atOnce, offset, status };
    const found = await responses.present(c, await responses.list(c, asked));
    for (const run of found) {
      yield { run, offset };
      offset += 1;
    }
    if (found.length < atOnce) return;
  }
}
