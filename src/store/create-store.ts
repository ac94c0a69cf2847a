// Puts the parts of the store together.
import { createFairShare } from '../fair-share/fair-share.ts';
import type { Storage } from '../storage/storage.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import type { StoreOptions } from './store-options.ts';
import { type AdmitBytes, createStoreService, type StoreService } from './store-service.ts';

interface StoreRoutes {
  readonly store: StoreService;
  readonly storeOptions: StoreOptions;
}

interface StoreRoomParts {
  readonly storage: Pick<Storage, 'expiredStoreItems'>;
  readonly options: StoreOptions;
  readonly admitMetadata: AdmitBytes;
  readonly now: () => number;
  readonly upkeep: JobTaker;
}

/** Searches that read many items: each takes the thread of the service for a part of a second in all. */
const SEARCHES = { total: 4, perOwner: 1, waitingPerOwner: 32, longestWaitMs: 20_000 };

/** Nobody sees items whose time is over; their rows go so many at a time. */
const EXPIRED_AT_ONCE = 500;
const EXPIRED_MS = 60_000;

export function createStoreRoom(parts: StoreRoomParts): StoreRoutes {
  const { storage, options, admitMetadata, now, upkeep } = parts;
  upkeep.add({
    name: 'expired items of the store',
    everyMs: EXPIRED_MS,
    async look() {
      const removed = await storage.expiredStoreItems.remove({ now: now(), limit: EXPIRED_AT_ONCE });
      return removed === EXPIRED_AT_ONCE;
    },
  });
  const places = createFairShare(SEARCHES);
  return {
    store: createStoreService({ options, admitBytes: admitMetadata, places, now }),
    storeOptions: options,
  };
}
