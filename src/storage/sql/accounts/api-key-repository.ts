// API keys of one owner, and the lookup by hash, in SQL.
import type { Selectable } from 'kysely';
import {
  API_KEY_SCOPES,
  type ApiKeyRecord,
  type ApiKeyRegistry,
  type ApiKeyRepository,
  type NewApiKey,
} from '../../api-keys.ts';
import type { AuditAct } from '../../audit-log.ts';
import type { Owner } from '../../storage.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { ApiKeysTable } from '../database/account-tables.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { stampOf, userOf, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf } from '../database/results.ts';
import { takeTurn } from '../database/turn-lock.ts';
import { findUser } from './user-rows.ts';

export function createApiKeyRepository(
  database: Database,
  appendAudit: AppendAudit,
  owner: Owner,
): ApiKeyRepository {
  const mine = writableBy(owner, 'user_id');
  const audit = (trx: WriteTransaction, act: AuditAct, { key_id, clientIp }: AuditedKey) =>
    appendAudit(trx, { act, actor: stampOf(owner), clientIp: clientIp ?? null, subject: key_id });
  const revoke = async (trx: WriteTransaction, keys: readonly { key_id: string }[], clientIp?: string) => {
    for (const key of keys) await audit(trx, 'api_key_revoke', { ...key, clientIp });
    return keys.length;
  };
  return {
    async create(key, most, clientIp) {
      const userId = userOf(owner, 'an API key');
      return database.write(async (trx) => {
        // So that each counts the keys before.
        await takeTurn(database, trx, `api_keys ${userId}`);
        const counted = trx.selectFrom('api_keys').select((eb) => eb.fn.countAll<number>().as('n'));
        const n = Number((await counted.where(mine).executeTakeFirst())?.n ?? 0);
        if (n >= most) return 'too_many';
        const row = toRow(key, userId);
        await trx.insertInto('api_keys').values(row).execute();
        await audit(trx, 'api_key_create', { ...row, clientIp });
        return toApiKey(row);
      });
    },

    list: () =>
      database.read((db) => {
        const keys = db.selectFrom('api_keys').selectAll().where(mine);
        return allOf(keys.orderBy('created_at', 'desc').orderBy('key_id', 'desc'), toApiKey);
      }),

    delete: (keyId, clientIp) =>
      database.write(async (trx) => {
        const key = trx.deleteFrom('api_keys').where('key_id', '=', keyId).where(mine);
        return (await revoke(trx, await key.returning('key_id').execute(), clientIp)) > 0;
      }),

    deleteAll: (clientIp) =>
      database.write(async (trx) => {
        const keys = trx.deleteFrom('api_keys').where(mine);
        return revoke(trx, await keys.returning('key_id').execute(), clientIp);
      }),
  };
}

interface AuditedKey {
  readonly key_id: string;
  readonly clientIp?: string | undefined;
}

const DAY_MS = 86_400_000;

export function createApiKeyRegistry(database: Database, appendAudit: AppendAudit): ApiKeyRegistry {
  return {
    find: (hash) =>
      database.read(async (db) => {
        const row = await db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst();
        return row && { key: toApiKey(row), user: await findUser(db, 'id', row.user_id) };
      }),

    live: (hashes, now) =>
      database.read(async (db) => {
        if (hashes.length === 0) return new Set();
        const keys = db
          .selectFrom('api_keys')
          .innerJoin('users', 'users.id', 'api_keys.user_id')
          .select('api_keys.hash')
          .where('api_keys.hash', 'in', hashes)
          .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
        return new Set(await allOf(keys, (row) => row.hash));
      }),

    markUsed: (keyId, at, clientIp) =>
      database.write(async (trx) => {
        const key = trx.selectFrom('api_keys').select(['user_id', 'last_used_at']);
        const used = await database.locked(key.where('key_id', '=', keyId)).executeTakeFirst();
        if (used === undefined || (used.last_used_at ?? -1) >= at) return;
        await trx.updateTable('api_keys').set({ last_used_at: at }).where('key_id', '=', keyId).execute();
        if (used.last_used_at !== null && dayOf(used.last_used_at) === dayOf(at)) return;
        const act = { act: 'api_key_use', actor: used.user_id, subject: keyId } as const;
        await appendAudit(trx, { ...act, clientIp: clientIp ?? null });
      }),
  };
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

const PLAIN = plainColumns(['key_id', 'user_id', 'name', 'hint', 'created_at', 'expires_at', 'last_used_at']);

function toRow(key: NewApiKey, userId: string): ApiKeysTable {
  const plain = PLAIN.columnsOf({ ...key, userId, lastUsedAt: null });
  return { ...plain, hash: key.hash, scopes: key.scopes.join(' ') };
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKeyRecord {
  const scopes: ReadonlySet<string> = new Set(row.scopes.split(' '));
  return { ...PLAIN.fieldsOf(row), scopes: API_KEY_SCOPES.filter((scope) => scopes.has(scope)) };
}
