// The storage port on one open database whose schema is up to date.
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Owner, Repositories, Storage } from '../storage.ts';
import { createAppendRunEvents } from './append-run-events.ts';
import { createCheckpointRepository } from './checkpoint-repository.ts';
import { createInsertCheckpoints } from './checkpoint-rows.ts';
import type { Database } from './database.ts';
import { createFrameRepository } from './frame-repository.ts';
import { createFrameRetention } from './frame-retention.ts';
import { requireOwner } from './owner-filter.ts';
import { createRunCommits } from './run-commits.ts';
import { createRunEventRepository } from './run-event-repository.ts';
import { createRunLeases } from './run-leases.ts';
import { createRunRepository } from './run-repository.ts';
import { createThreadRemovals } from './thread-removals.ts';
import { createThreadRepository } from './thread-repository.ts';
import { createUserRepository } from './user-repository.ts';

/** Repositories hold nothing of their own: requests and streams of one owner share them. */
const OWNERS_KEPT = 1_000;

/** Closing the storage closes the database. */
export function createSqlStorage(database: Database, now: () => number): Storage {
  const appendRunEvents = createAppendRunEvents(database);
  const insertCheckpoints = createInsertCheckpoints(database);
  const kept = new LRUCache<Owner, Repositories>({ max: OWNERS_KEPT });
  const create = (owner: Owner): Repositories => ({
    threads: createThreadRepository(database, owner),
    runs: createRunRepository({ database, appendRunEvents, owner }),
    runEvents: createRunEventRepository(database, owner),
    frames: createFrameRepository(database, owner),
    checkpoints: createCheckpointRepository(database, insertCheckpoints, owner),
  });
  return {
    as(asked) {
      const owner = requireOwner(asked);
      const known = kept.get(owner);
      if (known !== undefined) return known;
      const created = create(owner);
      kept.set(owner, created);
      return created;
    },
    users: createUserRepository(database),
    runLeases: createRunLeases(database),
    runCommits: createRunCommits(database, { appendRunEvents, insertCheckpoints }),
    frameRetention: createFrameRetention(database),
    threadRemovals: createThreadRemovals(database),
    adoptOwnerlessThreads: (userId) => adoptOwnerlessThreads(database, userId),
    checkWritable: () => rewriteProbe(database, now()),
    close: () => database.close(),
  };
}

function adoptOwnerlessThreads(database: Database, userId: string): Promise<number> {
  return database.write(async (trx) => {
    const ownerless = trx.selectFrom('threads').select('thread_id').where('user_id', 'is', null);
    const ids = (await database.locked(ownerless).execute()).map((row) => row.thread_id);
    if (ids.length === 0) return 0;
    // The threads last: until then they are how the rest is found.
    for (const table of ['runs', 'run_events', 'threads'] as const) {
      await sql`update ${sql.table(table)} set user_id = ${userId}
        where user_id is null and thread_id in (select thread_id from threads where user_id is null)`.execute(
        trx,
      );
    }
    return ids.length;
  });
}

async function rewriteProbe(database: Database, now: number): Promise<void> {
  await database.write((trx) =>
    trx
      .insertInto('write_probes')
      .values({ id: 1, written_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at: now }))
      .execute(),
  );
}
