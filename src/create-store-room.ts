// Puts the parts of the store together.
import type { Upkeep } from './create-thread-room.ts';
import { createFairShare } from './fair-share/fair-share.ts';
import type { Log } from './log.ts';
import type { Storage } from './storage/storage.ts';
import type { StoreOptions } from './store/store-options.ts';
import { type AdmitBytes, createStoreService, type StoreService } from './store/store-service.ts';
import { createCatchUp } from './threads/catch-up.ts';

interface StoreRoom {
  readonly routes: { readonly store: StoreService; readonly storeOptions: StoreOptions };
  readonly upkeep: Upkeep;
}

interface StoreRoomParts {
  readonly storage: Pick<Storage, 'expiredStoreItems'>;
  readonly options: StoreOptions;
  readonly admitMetadata: AdmitBytes;
  readonly log: Log;
  readonly now: () => number;
}

/** Searches that read many items: each takes the thread of the service for a part of a second in all. */
const SEARCHES = { total: 4, perOwner: 1, waitingPerOwner: 32, longestWaitMs: 20_000 };

/** Nobody sees items whose time is over; their rows go so many at a time. */
const EXPIRED_AT_ONCE = 500;
const EXPIRED_MS = 60_000;

export function createStoreRoom({ storage, options, admitMetadata, log, now }: StoreRoomParts): StoreRoom {
  const places = createFairShare(SEARCHES);
  return {
    routes: {
      store: createStoreService({ options, admitBytes: admitMetadata, places, now }),
      storeOptions: options,
    },
    upkeep: createCatchUp({
      next: async () => {
        const removed = await storage.expiredStoreItems.remove({ now: now(), limit: EXPIRED_AT_ONCE });
        return removed === EXPIRED_AT_ONCE;
      },
      everyMs: EXPIRED_MS,
      failed: 'expired items of the store stay for now; trying again later',
      log,
    }),
  };
}
