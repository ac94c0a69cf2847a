// The threads that a search found, and the requested parts of each.
import type { ThreadFilter, ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import type { AppContext } from '../api/context.ts';
import { selectFields } from '../api/list-page.ts';
import { presentThread, type ThreadBody } from '../presenters/thread.ts';
import { timestamp } from '../presenters/wire-fields.ts';
import { extracted, isExtractPath, leadsToValues, type ThreadSearch } from './thread-requests.ts';

interface SearchParts {
  readonly threads: Pick<ThreadService, 'search' | 'count'>;
  readonly threadStates: Pick<ThreadStateService, 'matching'>;
}

type CountBody = Pick<ThreadSearch, 'metadata' | 'status' | 'ids' | 'values'>;

/** Returns one page of threads, and the total on all pages. */
export async function foundPage(
  c: AppContext,
  { threads, threadStates }: SearchParts,
  { limit, offset, sort_by: sortBy, sort_order: sortOrder, ...body }: ThreadSearch,
) {
  const { repositories } = c.var;
  const query = { ...filterOf(body), sortBy, sortOrder };
  if (body.values === undefined) return threads.search(repositories, { ...query, limit, offset });
  const matching = await threadStates.matching(repositories, query, body.values);
  return { threads: matching.slice(offset, offset + limit), total: matching.length };
}

export async function countedThreads(
  c: AppContext,
  { threads, threadStates }: SearchParts,
  body: CountBody,
): Promise<number> {
  const { repositories } = c.var;
  if (body.values === undefined) return threads.count(repositories, filterOf(body));
  const query = { ...filterOf(body), sortBy: 'thread_id', sortOrder: 'asc' } as const;
  return (await threadStates.matching(repositories, query, body.values)).length;
}

function filterOf({ metadata, status, ids }: CountBody): ThreadFilter {
  return {
    ...(metadata !== undefined && { metadata }),
    ...(status !== undefined && { status }),
    ...(ids !== undefined && { ids }),
  };
}

export type PresentThread = (c: AppContext, thread: ThreadRecord) => Promise<ThreadBody>;

interface ShowingParts {
  readonly present: PresentThread;
  readonly threadStates: Pick<ThreadStateService, 'requireShowable' | 'valuesOf'>;
  readonly body: Pick<ThreadSearch, 'select' | 'extract' | 'sort_by'>;
}

/**
 * Yields threads as they are requested, with their titles and the parts of their states named in `select` and
 * `extract`. Throws `payload_too_large` before the first one when those exceed one response.
 */
export async function presentedInTurn(
  c: AppContext,
  threads: readonly ThreadRecord[],
  { present, threadStates, body: { select, extract = {}, sort_by: sortBy } }: ShowingParts,
): Promise<AsyncGenerator<object, void, void>> {
  const paths = Object.fromEntries(
    Object.entries(extract).flatMap(([alias, path]) => (isExtractPath(path) ? [[alias, path]] : [])),
  );
  const readsValues = Object.values(paths).some(leadsToValues);
  const { repositories } = c.var;
  if (readsValues || select?.includes('values') === true)
    await threadStates.requireShowable(repositories, threads);
  const show = async (thread: ThreadRecord): Promise<object> => {
    const shown = select?.includes('values') === true ? await present(c, thread) : presentThread(thread);
    const activity = { state_updated_at: timestamp(thread.stateUpdatedAt) };
    const body = { ...shown, ...(sortBy === 'state_updated_at' && activity) };
    if (Object.keys(paths).length === 0) return selectFields(body, select);
    const values = readsValues ? await threadStates.valuesOf(repositories, thread) : {};
    return { ...selectFields(body, select), extracted: extracted({ ...body, values }, paths) };
  };
  return inTurn(threads, show);
}

async function* inTurn(
  threads: readonly ThreadRecord[],
  show: (thread: ThreadRecord) => Promise<object>,
): AsyncGenerator<object, void, void> {
  for (const thread of threads) yield await show(thread);
}
