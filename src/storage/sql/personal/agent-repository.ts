// Agents that people define, in SQL.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type {
  AgentDefinition,
  AgentRecord,
  AgentRepository,
  AgentVersion,
  AgentVersions,
  NewAgent,
} from '../../agents.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { userOf, writableBy } from '../database/owner-filter.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import type { AgentsTable, AgentVersionsTable } from '../database/tables.ts';

export function createAgentRepository(database: Database, owner: Owner): AgentRepository {
  return { ...reading(database, owner), ...writing(database, owner) };
}

function reading(
  database: Database,
  owner: Owner,
): Pick<AgentRepository, 'list' | 'find' | 'wasDeleted' | 'versions'> {
  const mine = writableBy(owner, 'user_id');
  return {
    list: () =>
      database.read(async (db) => {
        const seen = await ownFirst(visible(db, owner), mine).execute();
        const byName = new Map<string, AgentRow>();
        for (const row of seen) if (!byName.has(row.name)) byName.set(row.name, row);
        const records = await withDefinitions(db, [...byName.values()], owner);
        return records.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      }),

    find: (name) =>
      database.read(async (db) => {
        const row = await ownFirst(visible(db, owner).where('name', '=', name), mine).executeTakeFirst();
        return row === undefined ? undefined : (await withDefinitions(db, [row], owner))[0];
      }),

    wasDeleted: (name) =>
      database.read(async (db) => {
        const gone = db.selectFrom('agents').select('agent_id').where(mine).where('name', '=', name);
        return (await gone.where('deleted_at', 'is not', null).limit(1).executeTakeFirst()) !== undefined;
      }),

    versions: (agentId) =>
      database.read(async (db) => {
        const agent = await visible(db, owner).where('agent_id', '=', agentId).executeTakeFirst();
        if (agent === undefined) return [];
        const all = db.selectFrom('agent_versions').selectAll().where('agent_id', '=', agentId);
        return (await all.orderBy('version', 'desc').execute()).map(toVersion);
      }),
  };
}

function writing(
  database: Database,
  owner: Owner,
): Pick<AgentRepository, 'create' | 'update' | 'share' | 'delete'> {
  const mine = writableBy(owner, 'user_id');
  const locked = (trx: WriteTransaction, name: string) =>
    database.locked(live(trx, mine).where('name', '=', name)).executeTakeFirst();
  return {
    create: (agent, most) => database.write((trx) => create(database, trx, { owner, agent, most })),

    update: (name, { definition, now, kept }) =>
      database.write(async (trx) => {
        const row = await locked(trx, name);
        if (row === undefined) return undefined;
        const [before] = await withDefinitions(trx, [row], owner);
        if (before !== undefined && textOf(before) === textOf(definition)) return before;
        const version = row.version + 1;
        const changed = { version, updated_at: now };
        await trx.updateTable('agents').set(changed).where('agent_id', '=', row.agent_id).execute();
        const added = { version, createdAt: now, definition: database.packed(textOf(definition)) };
        await insertVersion(trx, row, added);
        const old = trx.deleteFrom('agent_versions').where('agent_id', '=', row.agent_id);
        await old.where('version', '<=', version - kept).execute();
        return toRecord({ ...row, ...changed }, definition, owner);
      }),

    share: (name, isShared) =>
      database.write(async (trx) => {
        const row = await locked(trx, name);
        if (row === undefined) return 'absent';
        const others = trx.selectFrom('agents').select('agent_id').where('is_shared', '=', 1);
        const other = others.where('name', '=', name).where('agent_id', '!=', row.agent_id);
        if (isShared && (await other.executeTakeFirst()) !== undefined) return 'taken';
        const is_shared = isShared ? 1 : 0;
        await trx.updateTable('agents').set({ is_shared }).where('agent_id', '=', row.agent_id).execute();
        const [record] = await withDefinitions(trx, [{ ...row, is_shared }], owner);
        return record ?? 'absent';
      }),

    delete: (name, { now, kept }) =>
      database.write(async (trx) => {
        const row = await locked(trx, name);
        if (row === undefined) return false;
        const gone = { deleted_at: now, is_shared: 0 };
        await trx.updateTable('agents').set(gone).where('agent_id', '=', row.agent_id).execute();
        const deleted = trx.selectFrom('agents').select('agent_id').where(mine);
        const newest = deleted.where('deleted_at', 'is not', null).orderBy('deleted_at', 'desc');
        const ids = await newest.orderBy('agent_id').execute();
        const old = ids.slice(kept).map(({ agent_id }) => agent_id);
        await remove(trx, old);
        return true;
      }),
  };
}

export function createAgentVersions(database: Database): AgentVersions {
  return {
    get: ({ agentId, version }) =>
      database.read(async (db) => {
        const found = db
          .selectFrom('agent_versions as v')
          .innerJoin('agents as a', 'a.agent_id', 'v.agent_id')
          .select(['a.name', 'v.version', 'v.created_at', 'v.definition'])
          .where('v.agent_id', '=', agentId);
        const row = await found.where('v.version', '=', version).executeTakeFirst();
        return row && { ...toVersion(row), name: row.name };
      }),

    removeDeleted: ({ before, limit }) =>
      database.write(async (trx) => {
        const due = trx.selectFrom('agents').select('agent_id').where('deleted_at', '<', before);
        const ids = await database.locked(due.orderBy('deleted_at').limit(limit)).execute();
        const old = ids.map(({ agent_id }) => agent_id);
        await remove(trx, old);
        return old.length;
      }),
  };
}

type AgentRow = Selectable<AgentsTable>;

/** Selects the owner's agents, except deleted ones. */
function live(db: Connection, mine: RawBuilder<SqlBool>) {
  return db.selectFrom('agents').selectAll().where(mine).where('deleted_at', 'is', null);
}

function visible(db: Connection, owner: Owner) {
  const mine = writableBy(owner, 'user_id');
  return live(db, sql<SqlBool>`(${mine} or is_shared = 1)`);
}

/**
 * Sorts the owner's agents first. Of two shared agents with one name, which two administrators shared
 * concurrently, the older one counts.
 */
function ownFirst(rows: ReturnType<typeof visible>, mine: RawBuilder<SqlBool>) {
  const own = sql`case when ${mine} then 0 else 1 end`;
  return rows.orderBy(own).orderBy('created_at').orderBy('agent_id');
}

async function create(
  database: Database,
  trx: WriteTransaction,
  { owner, agent, most }: { readonly owner: Owner; readonly agent: NewAgent; readonly most: number },
): Promise<AgentRecord | 'exists' | 'too_many'> {
  const userId = userOf(owner, 'an agent');
  const [first] = agent.versions;
  const last = agent.versions.at(-1);
  if (first === undefined || last === undefined) throw new TypeError('an agent needs a version');
  const mine = writableBy(owner, 'user_id');
  const names = await live(trx, mine).execute();
  if (names.some(({ name }) => name === agent.name)) return 'exists';
  if (names.length >= most) return 'too_many';
  const row: AgentRow = {
    agent_id: agent.agentId,
    user_id: userId,
    name: agent.name,
    version: agent.versions.length,
    is_shared: 0,
    created_at: first.createdAt,
    updated_at: last.createdAt,
    deleted_at: null,
  };
  const inserted = await trx
    .insertInto('agents')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'name']).where('deleted_at', 'is', null).doNothing(),
    )
    .returning('agent_id')
    .executeTakeFirst();
  if (inserted === undefined) return 'exists';
  for (const [index, version] of agent.versions.entries()) {
    const definition = database.packed(textOf(version));
    await insertVersion(trx, row, { version: index + 1, createdAt: version.createdAt, definition });
  }
  return toRecord(row, last, owner);
}

async function insertVersion(
  trx: WriteTransaction,
  { agent_id, user_id }: Pick<AgentRow, 'agent_id' | 'user_id'>,
  {
    version,
    createdAt,
    definition,
  }: Pick<AgentVersion, 'version' | 'createdAt'> & { definition: PackedText },
): Promise<void> {
  const row = { agent_id, user_id, version, created_at: createdAt, definition };
  await trx.insertInto('agent_versions').values(row).execute();
}

async function remove(trx: WriteTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('agent_versions').where('agent_id', 'in', ids).execute();
  await trx.deleteFrom('agents').where('agent_id', 'in', ids).execute();
}

/** Returns the agents of the rows, each with its newest version. */
async function withDefinitions(
  db: Connection,
  rows: readonly AgentRow[],
  owner: Owner,
): Promise<readonly AgentRecord[]> {
  if (rows.length === 0) return [];
  const pins = rows.map(
    ({ agent_id, version }) => sql<SqlBool>`(agent_id = ${agent_id} and version = ${version})`,
  );
  const versions = await db
    .selectFrom('agent_versions')
    .selectAll()
    .where(sql<SqlBool>`(${sql.join(pins, sql` or `)})`)
    .execute();
  const byId = new Map(versions.map((version) => [version.agent_id, version]));
  return rows.flatMap((row) => {
    const version = byId.get(row.agent_id);
    return version === undefined ? [] : [toRecord(row, toVersion(version), owner)];
  });
}

const PLAIN = plainColumns(['agent_id', 'name', 'version', 'created_at', 'updated_at']);

function toRecord(row: AgentRow, definition: AgentDefinition, owner: Owner): AgentRecord {
  return {
    ...definitionOf(definition),
    ...PLAIN.fieldsOf(row),
    isShared: row.is_shared === 1,
    isOwn: row.user_id === owner,
  };
}

function toVersion(
  row: Pick<Selectable<AgentVersionsTable>, 'version' | 'created_at' | 'definition'>,
): AgentVersion {
  const definition: AgentDefinition = JSON.parse(unpackText(row.definition));
  return { ...definitionOf(definition), version: row.version, createdAt: row.created_at };
}

function definitionOf({ description, model, toolGroups, skills, soul }: AgentDefinition): AgentDefinition {
  return { description, model, toolGroups, skills, soul };
}

/** Returns the text of the definition. Two definitions are equal when their texts are. */
function textOf(definition: AgentDefinition): string {
  return JSON.stringify(definitionOf(definition));
}
