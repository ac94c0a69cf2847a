// Items of the store: JSON objects that programs store for a user, by namespace and key.
import type { JsonObject } from '../messages/message.ts';

export interface StoreItemName {
  /** Labels without dots, outermost first. */
  readonly namespace: readonly string[];
  readonly key: string;
}

/** Times are epoch milliseconds. */
export interface StoreItem extends StoreItemName {
  readonly value: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `null`: it does not expire. */
  readonly expiresAt: number | null;
}

export interface NewStoreItem extends StoreItemName {
  readonly value: JsonObject;
  /** `null`: it does not expire. */
  readonly ttlMs: number | null;
}

/** `bytes` is the size of the values as JSON in UTF-8. */
export interface StoreUse {
  readonly items: number;
  readonly bytes: number;
}

/** Expired items count as absent, whether or not their rows are gone. `now` is in epoch milliseconds. */
export interface StoreItemRepository {
  /**
   * Creates or replaces the item. A replaced item keeps only its `createdAt`. `too_many`: the owner's items
   * would exceed the limit. Items added concurrently may exceed it.
   */
  put(item: NewStoreItem, limit: StoreUse, now: number): Promise<'stored' | 'too_many'>;
  get(name: StoreItemName, now: number): Promise<StoreItem | undefined>;
  /** Deletes the item. Returns `false` when there was none. */
  delete(name: StoreItemName): Promise<boolean>;
  /** Returns those of these items that exist, in the order of the names. */
  list(names: readonly StoreItemName[], now: number): Promise<readonly StoreItem[]>;
  /**
   * Returns items whose namespace begins with the labels of `prefix`, by namespace and key, starting after
   * `after`.
   */
  scan(page: {
    readonly prefix: readonly string[];
    readonly after: StoreItemName | undefined;
    readonly limit: number;
    readonly now: number;
  }): Promise<readonly StoreItem[]>;
  /** Returns the names of such items, the most recently changed first. */
  newest(page: {
    readonly prefix: readonly string[];
    readonly limit: number;
    readonly offset: number;
    readonly now: number;
  }): Promise<readonly StoreItemName[]>;
  /** Returns every namespace that begins with `prefix` and has an item, sorted. */
  namespaces(prefix: readonly string[], now: number): Promise<readonly (readonly string[])[]>;
  /** Restarts the time to live of those of these items that expire. */
  refresh(names: readonly StoreItemName[], now: number): Promise<void>;
  use(): Promise<StoreUse>;
}

/** Expired items of all owners. */
export interface ExpiredStoreItems {
  /** Deletes up to `limit` items that expired by `now`. Returns their number. */
  remove(claim: { readonly now: number; readonly limit: number }): Promise<number>;
}
