// Creates the store, and the job that removes its expired items.
import { createFairShare } from '../fair-share/fair-share.ts';
import type { Storage } from '../storage/storage.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import type { StoreOptions } from './store-options.ts';
import { type AdmitBytes, createStoreService, type StoreService } from './store-service.ts';

interface StoreParts {
  readonly storage: Pick<Storage, 'expiredStoreItems'>;
  readonly options: StoreOptions;
  readonly admitBytes: AdmitBytes;
  readonly now: () => number;
  readonly upkeep: JobTaker;
}

/**
 * Limits of searches that read many items. Each occupies the thread of the service for a part of a second in
 * all.
 */
const SEARCHES = { total: 4, perOwner: 1, waitingPerOwner: 32, longestWaitMs: 20_000 };

/** Expired items are invisible. Their rows are removed in batches of this size. */
const EXPIRED_AT_ONCE = 500;
const EXPIRED_MS = 60_000;

export function createStore({ storage, options, admitBytes, now, upkeep }: StoreParts): StoreService {
  upkeep.add({
    name: 'expired items of the store',
    everyMs: EXPIRED_MS,
    async pass() {
      const removed = await storage.expiredStoreItems.remove({ now: now(), limit: EXPIRED_AT_ONCE });
      return removed === EXPIRED_AT_ONCE;
    },
  });
  return createStoreService({ options, admitBytes, places: createFairShare(SEARCHES), now });
}
