// Items of the store: JSON objects that programs keep for a user, by namespace and key.
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
  /** `null`: until it is deleted. */
  readonly expiresAt: number | null;
}

export interface NewStoreItem extends StoreItemName {
  readonly value: JsonObject;
  /** `null`: it does not expire. */
  readonly ttlMs: number | null;
}

/** `bytes`: of values as JSON in UTF-8. */
export interface StoreUse {
  readonly items: number;
  readonly bytes: number;
}

/** Expired items are absent ones, whether or not their rows are gone. `now` is in epoch milliseconds. */
export interface StoreItemRepository {
  /**
   * Creates or replaces the item; of a replaced one only `createdAt` stays. `too_many` when the owner's items would
   * exceed the limit; items that are added at the same moment may each find a free place.
   */
  put(item: NewStoreItem, limit: StoreUse, now: number): Promise<'stored' | 'too_many'>;
  get(name: StoreItemName, now: number): Promise<StoreItem | undefined>;
  /** `false`: there was none. */
  delete(name: StoreItemName): Promise<boolean>;
  /** Those of these items that exist, in the order of the names. */
  list(names: readonly StoreItemName[], now: number): Promise<readonly StoreItem[]>;
  /** Items whose namespace begins with the labels of `prefix`, by namespace and key; `after`: behind that one. */
  scan(page: {
    readonly prefix: readonly string[];
    readonly after: StoreItemName | undefined;
    readonly limit: number;
    readonly now: number;
  }): Promise<readonly StoreItem[]>;
  /** Names of such items, the last changed first. */
  newest(page: {
    readonly prefix: readonly string[];
    readonly limit: number;
    readonly offset: number;
    readonly now: number;
  }): Promise<readonly StoreItemName[]>;
  /** Every namespace that has an item, sorted. */
  namespaces(prefix: readonly string[], now: number): Promise<readonly (readonly string[])[]>;
  /** Items among these that expire do so after their whole time to live from now. */
  refresh(names: readonly StoreItemName[], now: number): Promise<void>;
  use(): Promise<StoreUse>;
}

/** Items whose time is over, of all owners. */
export interface ExpiredStoreItems {
  /** Deletes some of those that expired by `now`; how many. */
  remove(claim: { readonly now: number; readonly limit: number }): Promise<number>;
}
