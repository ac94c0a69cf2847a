// Personal API keys: made once, shown once, known by their hash (docs/contract/authentication.md#api-keys).
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { conflict, notFound, ServiceError, validationFailed } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ApiKeyRecord, ApiKeyRegistry, ApiKeyRepository, ApiKeyScope } from '../storage/api-keys.ts';
import type { UserRecord } from '../storage/users.ts';

/** By which people and scanners for leaked secrets know a key of this service. */
const PREFIX = 'ags_';
/** 288 bits: 258 of them stay secret when the hint is known. */
const SECRET_BYTES = 36;
const HINT_CHARACTERS = PREFIX.length + 5;
const KEY = /^ags_[A-Za-z0-9_-]{48}$/;
/** How often the time of the last use is written at most. */
const USE_MS = 60_000;

interface ApiKeyRequest {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Epoch milliseconds; `null`: never. */
  readonly expiresAt: number | null;
  /** Where the request came from, here and below. */
  readonly clientIp?: string;
}

interface AuthenticatedKey {
  readonly user: UserRecord;
  readonly keyId: string;
  readonly hash: string;
  readonly mayWrite: boolean;
}

/** The keys of one person; every call is given that person's repository. */
export interface ApiKeys {
  /** `key` cannot be retrieved again. Throws `conflict` when there are too many, `validation_failed` for a past end. */
  create(
    own: ApiKeyRepository,
    request: ApiKeyRequest,
  ): Promise<{ readonly record: ApiKeyRecord; readonly key: string }>;
  /** Throws `not_found`. What was opened with the key ends within five seconds. */
  revoke(own: ApiKeyRepository, keyId: string, clientIp?: string): Promise<void>;
  /** How many there were. */
  revokeAll(own: ApiKeyRepository, clientIp?: string): Promise<number>;
  /**
   * Whose key it is. Throws `token_invalid` for one that never was or is revoked, `token_expired`, and
   * `user_not_found` when its owner is gone.
   */
  authenticate(key: string, clientIp?: string): Promise<AuthenticatedKey>;
  /** Those of the hashes whose keys `authenticate` would refuse. */
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
  /** Keys whose use is being written. */
  const marking = new Set<string>();

  /** Beside the request, which does not wait for it; what could not be written is tried again with the next use. */
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

/** A key has too many bits to be guessed from its hash, so a fast hash suffices; keys are found by it. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
