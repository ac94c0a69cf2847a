// The cost that the binding to an owner adds to a call of the storage.
import { parseSearchQuery } from '../src/messages/search/search-query.ts';
import { openStorage } from '../src/storage/sql/open-storage.ts';
import { type Storage, UNSCOPED } from '../src/storage/storage.ts';
import type { ThreadQuery } from '../src/storage/threads.ts';
import { LONGEST } from './fill-record.ts';
import { found } from './record-questions.ts';
import { wordOfRank } from './record-text.ts';

export interface IsolationFigures {
  readonly what: string;
  /** Medians in milliseconds, for an owner and without one. */
  readonly bound: number;
  readonly unscoped: number;
  /** The difference as a share of the request that makes the call. */
  readonly share: number;
}

type Call = (storage: Storage, owner: string | typeof UNSCOPED, n: number) => Promise<unknown>;

/** Calls that take the same way through the database with an owner and without one, and the request that makes them. */
const CALLS: readonly { readonly what: string; readonly request: string; readonly call: Call }[] = [
  {
    what: 'threads by metadata',
    request: 'metadata of 100 threads',
    call: (storage, owner, n) =>
      storage.as(owner).threads.search({ ...PAGE, metadata: { project: found(n, 1_000) } }),
  },
  {
    what: '200 events',
    request: '200 events of a run',
    call: (storage, owner, n) =>
      storage.as(owner).runEvents.list(LONGEST.threadId, {
        cursor: { kind: 'after', seq: found(n, 7_800) },
        limit: 200,
      }),
  },
  {
    what: 'runs of a thread',
    request: 'runs of a thread',
    call: (storage, owner) => storage.as(owner).runs.list(LONGEST.threadId, { limit: 100, offset: 0 }),
  },
  {
    what: 'a common word',
    request: 'a word of every other text',
    call: (storage, owner, n) =>
      storage
        .as(owner)
        .search.find(parseSearchQuery(`${wordOfRank(found(n, 6))} `), { limit: 20, offset: 0 }),
  },
];

const PAGE: ThreadQuery = { limit: 100, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' };
const ROUNDS = 400;

/** The cost that the binding adds to a call, compared with a request that makes that call. */
export async function measureIsolation(
  url: string,
  userId: string,
  medianOf: (request: string) => number,
): Promise<readonly IsolationFigures[]> {
  const storage = await openStorage({ url, log: { debug() {}, info() {}, warn() {}, error() {} } });
  try {
    const figures = [];
    for (const { what, request, call } of CALLS) {
      const timed = (owner: string | typeof UNSCOPED) => async (n: number) => {
        const begun = performance.now();
        await call(storage, owner, n);
        return performance.now() - begun;
      };
      const { bound, unscoped } = await byTurns(timed(userId), timed(UNSCOPED));
      figures.push({ what, bound, unscoped, share: (bound - unscoped) / medianOf(request) });
    }
    return figures;
  } finally {
    await storage.close();
  }
}

/** Medians of both; they take turns, so that what else the machine does hits both. */
async function byTurns(first: (n: number) => Promise<number>, second: (n: number) => Promise<number>) {
  const times: [number, number][] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const pair: [number, number] = n % 2 === 0 ? [await first(n), await second(n)] : [0, 0];
    if (n % 2 === 1) {
      pair[1] = await second(n);
      pair[0] = await first(n);
    }
    times.push(pair);
  }
  const median = (index: 0 | 1) =>
    at(
      times.map((pair) => pair[index]).toSorted((a, b) => a - b),
      0.5,
    );
  return { bound: median(0), unscoped: median(1) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
