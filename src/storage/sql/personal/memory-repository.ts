// What the agents of one owner remember, in SQL.
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { MemoryChange, MemoryFact, MemoryRecord, MemoryRepository } from '../../memories.ts';
import type { Owner } from '../../storage.ts';
import { hasAccount } from '../database/account-lock.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { userOf, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, firstOf, isAny } from '../database/results.ts';
import type { MemoriesTable } from '../database/tables.ts';

export function createMemoryRepository(database: Database, owner: Owner): MemoryRepository {
  const mine = writableBy(owner, 'user_id');
  return {
    get: (agent) =>
      database.read((db) =>
        firstOf(db.selectFrom('memories').selectAll().where(mine).where('agent', '=', agent), toMemory),
      ),

    list: () =>
      database.read((db) =>
        allOf(db.selectFrom('memories').selectAll().where(mine).orderBy('agent'), toMemory),
      ),

    save: (change, limits) =>
      database.write((trx) =>
        saveMemory(database, trx, { userId: userOf(owner, 'a memory'), change, limits }),
      ),

    isOff: () => database.read((db) => isAny(db.selectFrom('memory_switches').select('user_id').where(mine))),

    switch: (isOff) =>
      database.write(async (trx) => {
        const user_id = userOf(owner, 'a memory');
        if (!(await hasAccount(database, trx, user_id))) return 'no_account';
        await trx.deleteFrom('memory_switches').where(mine).execute();
        if (isOff) await trx.insertInto('memory_switches').values({ user_id }).execute();
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
  return (await isAny(current.returning('agent'))) ? 'saved' : 'stale';
}

async function inserted(trx: WriteTransaction, row: MemoriesTable, mostAgents: number): Promise<Saved> {
  const own = trx.selectFrom('memories').select('agent').where('user_id', '=', row.user_id);
  const agents = (await own.execute()).map(({ agent }) => agent);
  if (!agents.includes(row.agent) && agents.length >= mostAgents) return 'too_many';
  const added = trx
    .insertInto('memories')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'agent']).doNothing());
  return (await isAny(added.returning('agent'))) ? 'saved' : 'stale';
}

const PLAIN = plainColumns(['agent', 'revision', 'updated_at']);

function toMemory(row: Selectable<MemoriesTable>): MemoryRecord {
  const { facts, previous } = row;
  return {
    ...PLAIN.fieldsOf(row),
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
