// Personal API keys. Each key is shown once and identified by its hash
// (docs/contract/authentication.md#api-keys).
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { conflict, notFound, ServiceError, validationFailed } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ApiKeyRecord, ApiKeyRegistry, ApiKeyRepository, ApiKeyScope } from '../storage/api-keys.ts';
import type { UserRecord } from '../storage/users.ts';

/** The prefix by which people and secret scanners recognize a key of this service. */
const PREFIX = 'ags_';
/** 288 bits, of which 258 remain secret when the hint is known. */
const SECRET_BYTES = 36;
const HINT_CHARACTERS = PREFIX.length + 5;
const KEY = /^ags_[A-Za-z0-9_-]{48}$/;
/** The minimum time between two writes of the last use, in milliseconds. */
const USE_MS = 60_000;

interface ApiKeyRequest {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Epoch milliseconds. `null` when the key never expires. */
  readonly expiresAt: number | null;
  /** The address of the client, here and below. */
  readonly clientIp?: string;
}

interface AuthenticatedKey {
  readonly user: UserRecord;
  readonly keyId: string;
  readonly hash: string;
  readonly mayWrite: boolean;
}

/** The calls that manage keys take the repository of the keys' owner. */
export interface ApiKeys {
  /**
   * Creates a key. `key` cannot be retrieved again. Throws `conflict` at the limit of keys per user, and
   * `validation_failed` for an expiry in the past.
   */
  create(
    own: ApiKeyRepository,
    request: ApiKeyRequest,
  ): Promise<{ readonly record: ApiKeyRecord; readonly key: string }>;
  /** Revokes a key. Anything opened with it ends within five seconds. Throws `not_found`. */
  revoke(own: ApiKeyRepository, keyId: string, clientIp?: string): Promise<void>;
  /** Revokes all keys of the user. Returns the number of keys. */
  revokeAll(own: ApiKeyRepository, clientIp?: string): Promise<number>;
  /**
   * Returns the key and its owner. Throws `token_invalid` for an unknown or revoked key, `token_expired`, and
   * `user_not_found` when the owner is gone.
   */
  authenticate(key: string, clientIp?: string): Promise<AuthenticatedKey>;
  /** Returns the hashes whose keys `authenticate` would refuse. */
  ended(hashes: readonly string[]): Promise<readonly string[]>;
}

export interface ApiKeyDependencies {
  readonly registry: ApiKeyRegistry;
  readonly maxPerUser: number;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Whether a text has the form of a key of this service. */
export function isApiKey(text: string): boolean {
  return KEY.test(text);
}

export function createApiKeys(dependencies: ApiKeyDependencies): ApiKeys {
  const { registry, maxPerUser, log, now = Date.now, newId = randomUUID } = dependencies;
  /** Ids of the keys whose last use is being written. */
  const marking = new Set<string>();

  /** Records the use without delaying the request. After a failed write, the next use tries again. */
  const markUsed = ({ keyId, lastUsedAt }: ApiKeyRecord, clientIp: string | undefined): void => {
    const at = now();
    if (at - (lastUsedAt ?? 0) < USE_MS || marking.has(keyId)) return;
    marking.add(keyId);
    registry
      .markUsed(keyId, at, clientIp)
      .catch((err: unknown) => log.warn({ err, keyId }, 'the last use of an API key could not be recorded'))
      .finally(() => marking.delete(keyId));
  };

  return {
    async create(own, { name, scopes, expiresAt, clientIp }) {
      if (expiresAt !== null && expiresAt <= now()) {
        throw validationFailed(['body', 'expires_at'], 'This time is over.');
      }
      const key = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
      const record = await own.create(
        {
          keyId: newId(),
          name,
          hint: key.slice(0, HINT_CHARACTERS),
          hash: hashOf(key),
          scopes: scopes.includes('write') ? ['read', 'write'] : scopes,
          createdAt: now(),
          expiresAt,
        },
        maxPerUser,
        clientIp,
      );
      if (record === 'too_many') {
        throw conflict(`You have ${maxPerUser} API keys, which is the most. Revoke one first.`);
      }
      return { record, key };
    },
    async revoke(own, keyId, clientIp) {
      if (!(await own.delete(keyId, clientIp))) throw notFound('API key');
    },
    revokeAll: (own, clientIp) => own.deleteAll(clientIp),
    async authenticate(key, clientIp) {
      const hash = hashOf(key);
      const found = isApiKey(key) ? await registry.find(hash) : undefined;
      if (found === undefined) throw new ServiceError('token_invalid', 'This API key is not valid.');
      if (found.user === undefined) {
        throw new ServiceError('user_not_found', 'The account of this API key no longer exists.');
      }
      const { keyId, expiresAt, scopes } = found.key;
      if (expiresAt !== null && expiresAt <= now()) {
        throw new ServiceError('token_expired', 'This API key has expired. Make a new one.');
      }
      markUsed(found.key, clientIp);
      return { user: found.user, keyId, hash, mayWrite: scopes.includes('write') };
    },
    async ended(hashes) {
      const live = await registry.live(hashes, now());
      return hashes.filter((hash) => !live.has(hash));
    },
  };
}

/** Keys are looked up by this hash. A fast hash suffices: a key is too long to be guessed from it. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
