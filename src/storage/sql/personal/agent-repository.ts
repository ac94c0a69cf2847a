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
import { unpackText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, firstOf, isAny } from '../database/results.ts';
import type { AgentsTable, AgentVersionsTable } from '../database/tables.ts';

export function createAgentRepository(database: Database, owner: Owner): AgentRepository {
  return { ...reading(database, owner), ...writing(database, owner) };
}

function reading(database: Database, owner: Owner) {
  const mine = writableBy(owner, 'user_id');
  return {
    list: () =>
      database.read(async (db) => {
        const seen = await ownFirst(visible(db, owner), mine).execute();
        // The first of a name counts.
        const byName = new Map(seen.toReversed().map((row) => [row.name, row]));
        const records = await withDefinitions(db, [...byName.values()], owner);
        return records.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      }),

    find: (name) =>
      database.read(async (db) => {
        const rows = await ownFirst(visible(db, owner).where('name', '=', name), mine)
          .limit(1)
          .execute();
        return (await withDefinitions(db, rows, owner))[0];
      }),

    wasDeleted: (name) =>
      database.read((db) => {
        const gone = db.selectFrom('agents').select('agent_id').where(mine).where('name', '=', name);
        return isAny(gone.where('deleted_at', 'is not', null).limit(1));
      }),

    versions: (agentId) =>
      database.read(async (db) => {
        if (!(await isAny(visible(db, owner).where('agent_id', '=', agentId)))) return [];
        const all = db.selectFrom('agent_versions').selectAll().where('agent_id', '=', agentId);
        return allOf(all.orderBy('version', 'desc'), toVersion);
      }),
  } satisfies Partial<AgentRepository>;
}

function writing(database: Database, owner: Owner) {
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
        await insertVersion(database, trx, { ...row, ...changed, definition });
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
        if (isShared && (await isAny(other))) return 'taken';
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
        const ids = await allOf(newest.orderBy('agent_id'), (it) => it.agent_id);
        await remove(trx, ids.slice(kept));
        return true;
      }),
  } satisfies Partial<AgentRepository>;
}

export function createAgentVersions(database: Database): AgentVersions {
  return {
    get: ({ agentId, version }) =>
      database.read((db) => {
        const found = db
          .selectFrom('agent_versions as v')
          .innerJoin('agents as a', 'a.agent_id', 'v.agent_id')
          .select(['a.name', 'v.version', 'v.created_at', 'v.definition'])
          .where('v.agent_id', '=', agentId);
        return firstOf(found.where('v.version', '=', version), (row) => ({
          ...toVersion(row),
          name: row.name,
        }));
      }),

    removeDeleted: ({ before, limit }) =>
      database.write(async (trx) => {
        const due = trx.selectFrom('agents').select('agent_id').where('deleted_at', '<', before);
        const locked = database.locked(due.orderBy('deleted_at').limit(limit));
        const old = await allOf(locked, (it) => it.agent_id);
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
  const inserted = trx
    .insertInto('agents')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'name']).where('deleted_at', 'is', null).doNothing(),
    )
    .returning('agent_id');
  if (!(await isAny(inserted))) return 'exists';
  for (const [index, definition] of agent.versions.entries()) {
    const updated_at = definition.createdAt;
    await insertVersion(database, trx, { ...row, version: index + 1, updated_at, definition });
  }
  return toRecord(row, last, owner);
}

/** Inserts the version of the agent that was made with its last change. */
async function insertVersion(
  database: Database,
  trx: WriteTransaction,
  { agent_id, user_id, version, updated_at, definition }: AgentRow & { readonly definition: AgentDefinition },
): Promise<void> {
  const row = { agent_id, user_id, version, created_at: updated_at };
  await trx
    .insertInto('agent_versions')
    .values({ ...row, definition: database.packed(textOf(definition)) })
    .execute();
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
  const pins = rows.map((row) => sql`(agent_id = ${row.agent_id} and version = ${row.version})`);
  const pinned = sql<SqlBool>`(${sql.join(pins, sql` or `)})`;
  const versions = db.selectFrom('agent_versions').selectAll().where(pinned);
  const byId = new Map(await allOf(versions, (version) => [version.agent_id, version] as const));
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
