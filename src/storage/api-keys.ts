// Personal API keys as stored: only the hash, never the key.
import type { UserRecord } from './users.ts';

/** What a key may do. `write` comes with `read`. */
export const API_KEY_SCOPES = ['read', 'write'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

export interface ApiKeyRecord {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  /** The beginning of the key, by which its owner recognizes it. */
  readonly hint: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Accurate to the minute. */
  readonly lastUsedAt: number | null;
}

export interface NewApiKey extends Omit<ApiKeyRecord, 'userId' | 'lastUsedAt'> {
  /** sha-256 of the whole key, in hex. */
  readonly hash: string;
}

/** The keys of one owner. The audit log records each key created or removed, with the client's address. */
export interface ApiKeyRepository {
  /**
   * Creates a key. `'too_many'`: the owner already has `most` keys. Throws `TypeError` without an owner,
   * because a key belongs to an account.
   */
  create(key: NewApiKey, most: number, clientIp?: string): Promise<ApiKeyRecord | 'too_many'>;
  /** Returns the keys, newest first. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Deletes the key, which is not accepted afterwards. Returns whether there was such a key. */
  delete(keyId: string, clientIp?: string): Promise<boolean>;
  /** Deletes all keys of the owner. Returns their number. */
  deleteAll(clientIp?: string): Promise<number>;
}

/** Lookups for requests whose owner is not known yet. */
export interface ApiKeyRegistry {
  /**
   * Returns the key with this hash, expired or not. `user` is `undefined` when the owner's account is gone.
   */
  find(
    hash: string,
  ): Promise<{ readonly key: ApiKeyRecord; readonly user: UserRecord | undefined } | undefined>;
  /** Returns the hashes whose key exists, has an owner, and has not expired at `now`. */
  live(hashes: readonly string[], now: number): Promise<ReadonlySet<string>>;
  /**
   * Sets the time of last use, never to an earlier one. The audit log records the first use of each day
   * (UTC).
   */
  markUsed(keyId: string, at: number, clientIp?: string): Promise<void>;
}
