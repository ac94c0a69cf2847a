// What the agents of one owner remember, in SQL.
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { MemoryChange, MemoryFact, MemoryRecord, MemoryRepository } from '../../memories.ts';
import type { Owner } from '../../storage.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { userOf, writableBy } from '../database/owner-filter.ts';
import type { MemoriesTable } from '../database/tables.ts';

export function createMemoryRepository(database: Database, owner: Owner): MemoryRepository {
  const mine = writableBy(owner, 'user_id');
  return {
    get: (agent) =>
      database.read(async (db) => {
        const row = db.selectFrom('memories').selectAll().where(mine).where('agent', '=', agent);
        const found = await row.executeTakeFirst();
        return found === undefined ? undefined : toMemory(found);
      }),

    list: () =>
      database.read(async (db) => {
        const rows = await db.selectFrom('memories').selectAll().where(mine).orderBy('agent').execute();
        return rows.map(toMemory);
      }),

    save: (change, limits) =>
      database.write((trx) =>
        saveMemory(database, trx, { userId: userOf(owner, 'a memory'), change, limits }),
      ),

    isOff: () =>
      database.read(async (db) => {
        const row = db.selectFrom('memory_switches').select('user_id').where(mine);
        return (await row.executeTakeFirst()) !== undefined;
      }),

    switch: (isOff) =>
      database.write(async (trx) => {
        const user_id = userOf(owner, 'a memory');
        if (!(await hasAccount(database, trx, user_id))) return 'no_account';
        if (!isOff) await trx.deleteFrom('memory_switches').where(mine).execute();
        else {
          const row = trx.insertInto('memory_switches').values({ user_id });
          await row.onConflict((conflict) => conflict.column('user_id').doNothing()).execute();
        }
        return 'switched';
      }),
  };
}

/** Saves the change like `MemoryRepository.save`, within a transaction. */
export async function saveMemory(
  database: Database,
  trx: WriteTransaction,
  {
    userId,
    change,
    limits,
  }: { readonly userId: string; readonly change: MemoryChange; readonly limits: SaveLimits },
): Promise<Saved> {
  if (!(await hasAccount(database, trx, userId))) return 'no_account';
  const row = {
    user_id: userId,
    agent: change.agent,
    revision: change.from + 1,
    updated_at: limits.now,
    facts: JSON.stringify(change.facts),
    previous: change.previous === null ? null : JSON.stringify(change.previous),
  };
  return change.from > 0 ? replaced(trx, row) : inserted(trx, row, limits.mostAgents);
}

type SaveLimits = Parameters<MemoryRepository['save']>[1];
type Saved = Awaited<ReturnType<MemoryRepository['save']>>;

async function replaced(trx: WriteTransaction, row: MemoriesTable): Promise<Saved> {
  const { user_id, agent, ...written } = row;
  const saved = trx.updateTable('memories').set(written).where('user_id', '=', user_id);
  const current = saved.where('agent', '=', agent).where('revision', '=', row.revision - 1);
  return (await current.returning('agent').executeTakeFirst()) === undefined ? 'stale' : 'saved';
}

async function inserted(trx: WriteTransaction, row: MemoriesTable, mostAgents: number): Promise<Saved> {
  const own = trx.selectFrom('memories').select('agent').where('user_id', '=', row.user_id);
  const agents = (await own.execute()).map(({ agent }) => agent);
  if (!agents.includes(row.agent) && agents.length >= mostAgents) return 'too_many';
  const added = trx
    .insertInto('memories')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'agent']).doNothing());
  return (await added.returning('agent').executeTakeFirst()) === undefined ? 'stale' : 'saved';
}

/**
 * Returns whether the account exists, and keeps it from being deleted until the transaction ends. Rows
 * written after its deletion would never be removed.
 */
async function hasAccount(database: Database, trx: WriteTransaction, userId: string): Promise<boolean> {
  const account = trx.selectFrom('users').select('id').where('id', '=', userId);
  return (await database.locked(account).executeTakeFirst()) !== undefined;
}

function toMemory({ agent, revision, updated_at, facts, previous }: Selectable<MemoriesTable>): MemoryRecord {
  return {
    agent,
    revision,
    updatedAt: updated_at,
    facts: factsIn(facts),
    previous: previous === null ? null : factsIn(previous),
  };
}

const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thread'), threadId: z.string(), messageId: z.string() }),
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('import') }),
]);
const factsSchema = z.array(
  z.object({
    id: z.string(),
    content: z.string(),
    category: z.string(),
    confidence: z.number(),
    createdAt: z.number(),
    source: sourceSchema,
  }),
);

function factsIn(text: string): readonly MemoryFact[] {
  return factsSchema.parse(JSON.parse(text));
}
