// The store: items that programs keep for a user across threads, found by namespace, filter and words.
import { createBreath } from '../breath.ts';
import { conflict, ServiceError } from '../errors.ts';
import { createFairShare, refusalSentence } from '../fair-share/fair-share.ts';
import type { Storage } from '../storage/storage.ts';
import type { NewStoreItem, StoreItem, StoreItemName, StoreItemRepository } from '../storage/store-items.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import type { ItemFilter, ItemScore } from './item-search.ts';
import type { StoreOptions } from './store-options.ts';

export interface StoreOwner {
  readonly userId: string;
  /** Bound to the user. */
  readonly storeItems: StoreItemRepository;
}

interface ItemSearch {
  readonly prefix: readonly string[];
  readonly filter: ItemFilter | undefined;
  readonly score: ItemScore | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Restarts the lifetime of found items that expire. */
  readonly refresh: boolean;
}

interface FoundItem extends StoreItem {
  /** In a search by words, the share of them that the item has; else `null`. */
  readonly score: number | null;
}

export interface StoreService {
  /**
   * Throws `conflict` when the user would keep more than the store allows, and `payload_too_large` when it is
   * too much together with the user's other data.
   */
  put(owner: StoreOwner, item: NewStoreItem): Promise<void>;
  get(owner: StoreOwner, name: StoreItemName, refresh: boolean): Promise<StoreItem | undefined>;
  delete(owner: StoreOwner, name: StoreItemName): Promise<void>;
  /**
   * Returns items, the last changed first; in a search by words, the best first. Rejects with
   * `too_many_attempts` when other searches take all places. Items are read as the caller consumes them.
   */
  search(owner: StoreOwner, search: ItemSearch, signal: AbortSignal): Promise<AsyncIterable<FoundItem>>;
  /** Returns the namespaces, sorted, each once, cut to `maxDepth` labels. */
  namespaces(owner: StoreOwner, pattern: NamespacePattern): Promise<readonly (readonly string[])[]>;
}

/** Throws `payload_too_large` when the user may not store so many more bytes. */
type AdmitBytes = (userId: string, bytes: number) => Promise<void>;

interface StoreParts {
  readonly storage: Pick<Storage, 'expiredStoreItems'>;
  readonly options: StoreOptions;
  readonly admitBytes: AdmitBytes;
  readonly now: () => number;
  readonly upkeep: JobTaker;
}

/**
 * Limits of searches that read all items below their prefix. Each occupies the thread of the service for a
 * part of a second in all.
 */
const SEARCHES = { total: 4, perOwner: 1, waitingPerOwner: 32, longestWaitMs: 20_000 };
/** Expired items are invisible. Their rows are removed in batches of this size. */
const EXPIRED_AT_ONCE = 500;
const EXPIRED_MS = 60_000;
/** Rows per page, which are parsed one after the other. */
const SCANNED_AT_ONCE = 50;
const SHOWN_AT_ONCE = 20;

/** Creates the store, and the job that removes its expired items. */
export function createStore({ storage, options, admitBytes, now, upkeep }: StoreParts): StoreService {
  upkeep.add({
    name: 'expired items of the store',
    everyMs: EXPIRED_MS,
    async pass() {
      const removed = await storage.expiredStoreItems.remove({ now: now(), limit: EXPIRED_AT_ONCE });
      return removed === EXPIRED_AT_ONCE;
    },
  });
  const places = createFairShare(SEARCHES);
  const limit = { items: options.max_items_per_user, bytes: options.max_mb_per_user * 1_048_576 };

  /** Returns the names of the matching items, in the order of the result. */
  const wanted = async (
    { userId, storeItems }: StoreOwner,
    search: ItemSearch,
    signal: AbortSignal,
  ): Promise<readonly Wanted[]> => {
    const { prefix, offset } = search;
    if (search.filter === undefined && search.score === undefined) {
      const names = await storeItems.newest({ prefix, limit: search.limit, offset, now: now() });
      return names.map((name) => ({ ...name, score: null }));
    }
    const turn = await places.use(userId, signal, () => scan(storeItems, search, { now, signal }));
    if (turn.kind === 'done') return turn.result.slice(offset, offset + search.limit);
    if (turn.kind === 'cancelled') return [];
    const { retryAfterSeconds } = turn;
    throw new ServiceError('too_many_attempts', refusalSentence(turn, 'searches'), { retryAfterSeconds });
  };

  return {
    async put({ userId, storeItems }, item) {
      await admitBytes(userId, Buffer.byteLength(JSON.stringify(item.value)));
      const put = await storeItems.put(item, limit, now());
      if (put === 'stored') return;
      // Not 413, which clients retry by themselves.
      throw conflict(
        `You can keep ${options.max_items_per_user} items with ${options.max_mb_per_user} MB in total. Delete some first.`,
      );
    },

    async get({ storeItems }, name, refresh) {
      const item = await storeItems.get(name, now());
      if (refresh && item !== undefined && item.expiresAt !== null) await storeItems.refresh([name], now());
      return item;
    },

    async delete({ storeItems }, name) {
      await storeItems.delete(name);
    },

    async search(owner, search, signal) {
      return shown(owner.storeItems, await wanted(owner, search, signal), { now, refresh: search.refresh });
    },

    async namespaces({ storeItems }, pattern) {
      return namespacesLike(await storeItems.namespaces([], now()), pattern);
    },
  };
}

interface Wanted extends StoreItemName {
  readonly score: number | null;
}

/** Reads every item below the prefix, a few at a time, and keeps the matches without their values. */
async function scan(
  storeItems: StoreItemRepository,
  search: ItemSearch,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<readonly Wanted[]> {
  const breath = createBreath();
  const found: Found[] = [];
  let after: StoreItemName | undefined;
  for (;;) {
    const page = await storeItems.scan({
      prefix: search.prefix,
      after,
      limit: SCANNED_AT_ONCE,
      now: now(),
    });
    for (const item of page) {
      await breath();
      found.push(...matchOf(item, search));
    }
    if (page.length < SCANNED_AT_ONCE || signal.aborted) break;
    after = page.at(-1);
  }
  return found.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || b.updatedAt - a.updatedAt);
}

interface Found extends Wanted {
  readonly updatedAt: number;
}

/** Returns the item without its value; nothing when it does not match. */
function matchOf(
  { namespace, key, value, updatedAt }: StoreItem,
  { filter, score }: ItemSearch,
): readonly Found[] {
  if (filter?.(value) === false) return [];
  const points = score === undefined ? null : score(value);
  return points === 0 ? [] : [{ namespace, key, score: points, updatedAt }];
}

async function* shown(
  storeItems: StoreItemRepository,
  wanted: readonly Wanted[],
  { now, refresh }: { readonly now: () => number; readonly refresh: boolean },
): AsyncGenerator<FoundItem, void, void> {
  const scores = new Map(wanted.map((it) => [nameOf(it), it.score]));
  for (let from = 0; from < wanted.length; from += SHOWN_AT_ONCE) {
    const items = await storeItems.list(wanted.slice(from, from + SHOWN_AT_ONCE), now());
    if (refresh)
      await storeItems.refresh(
        items.filter(({ expiresAt }) => expiresAt !== null),
        now(),
      );
    for (const item of items) yield { ...item, score: scores.get(nameOf(item)) ?? null };
  }
}

function nameOf({ namespace, key }: StoreItemName): string {
  return JSON.stringify([namespace, key]);
}

interface NamespacePattern {
  /** Labels at the beginning and at the end; `*` stands for any one label. */
  readonly prefix: readonly string[];
  readonly suffix: readonly string[];
  /** Deeper namespaces are cut to this many labels. */
  readonly maxDepth: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

type Namespace = readonly string[];

/** `sorted` has the order of the result. */
function namespacesLike(
  sorted: readonly Namespace[],
  { prefix, suffix, maxDepth, limit, offset }: NamespacePattern,
): readonly Namespace[] {
  const matching = sorted.filter(
    (labels) =>
      labels.length >= Math.max(prefix.length, suffix.length) &&
      isLike(labels.slice(0, prefix.length), prefix) &&
      isLike(labels.slice(labels.length - suffix.length), suffix),
  );
  const cut = matching.map((labels) => labels.slice(0, maxDepth));
  const each = new Map(cut.map((labels) => [labels.join('.'), labels]));
  return [...each.values()].slice(offset, offset + limit);
}

function isLike(labels: Namespace, pattern: Namespace): boolean {
  return pattern.every((wanted, index) => wanted === '*' || wanted === labels[index]);
}
