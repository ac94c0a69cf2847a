// Personal API keys as they are stored: never the key, only its hash.
import type { UserRecord } from './users.ts';

/** What a key may do; `write` comes with `read`. */
export const API_KEY_SCOPES = ['read', 'write'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

export interface ApiKeyRecord {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  /** The beginning of the key, by which its owner knows it again. */
  readonly hint: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** To the minute. */
  readonly lastUsedAt: number | null;
}

export interface NewApiKey extends Omit<ApiKeyRecord, 'userId' | 'lastUsedAt'> {
  /** sha-256 of the whole key, in hex. */
  readonly hash: string;
}

/** The keys of one owner. Making and removing one is in the audit log, with the address that it came from. */
export interface ApiKeyRepository {
  /** `'too_many'` when the owner has `most` keys already. Throws `TypeError` without an owner: a key is somebody's. */
  create(key: NewApiKey, most: number, clientIp?: string): Promise<ApiKeyRecord | 'too_many'>;
  /** Newest first. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Whether there was such a key; from then on it opens nothing. */
  delete(keyId: string, clientIp?: string): Promise<boolean>;
  /** How many there were. */
  deleteAll(clientIp?: string): Promise<number>;
}

/** What the service asks before it knows whose request it is. */
export interface ApiKeyRegistry {
  /** The key with this hash, expired or not; `user` is absent when its owner is. */
  find(
    hash: string,
  ): Promise<{ readonly key: ApiKeyRecord; readonly user: UserRecord | undefined } | undefined>;
  /** Those of the hashes whose key exists, has an owner, and has not expired at `now`. */
  live(hashes: readonly string[], now: number): Promise<ReadonlySet<string>>;
  /** Never moves the time back. The first use of each day (UTC) is in the audit log. */
  markUsed(keyId: string, at: number, clientIp?: string): Promise<void>;
}
