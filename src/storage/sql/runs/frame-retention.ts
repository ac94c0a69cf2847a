// Replaces the streams of runs that ended long ago, in SQL.
import { type SqlBool, sql } from 'kysely';
import type { FrameRetention, UnprunedRun } from '../../frame-retention.ts';
import type { Connection, Database } from '../database/database.ts';
import { createInsertFrames } from '../log/insert-frames.ts';
import { toFrameRow } from './frame-repository.ts';

export function createFrameRetention(database: Database): FrameRetention {
  const insertFrames = createInsertFrames(database);
  return {
    due: (endedBefore, limit) => database.read((db) => unprunedRuns(db, endedBefore, limit)),

    replace: async (runId, row) => {
      await database.write(async (trx) => {
        const query = trx.selectFrom('runs').select(['finished_at', 'user_id']).where('run_id', '=', runId);
        const run = await database.locked(query).executeTakeFirst();
        if (run === undefined || run.finished_at === null) return;
        await trx.deleteFrom('run_frames').where('run_id', '=', runId).execute();
        const { firstSeq, lastSeq, attempt } = row;
        const events = database.packed(row.events);
        const frames = { runId, userId: run.user_id, firstSeq, lastSeq, attempt, events };
        await insertFrames(trx, [frames]);
        await trx.updateTable('runs').set({ frames_pruned: 1 }).where('run_id', '=', runId).execute();
      });
      await database.reclaimSpace();
    },
  };
}

async function unprunedRuns(
  db: Connection,
  endedBefore: number,
  limit: number,
): Promise<readonly UnprunedRun[]> {
  const ended = await db
    .selectFrom('runs')
    .select('run_id')
    // Literals, so that the partial index is used.
    .where(sql<SqlBool>`finished_at is not null and frames_pruned = 0`)
    .where('finished_at', '<', endedBefore)
    .where(sql<SqlBool>`exists (select 1 from run_frames where run_frames.run_id = runs.run_id)`)
    .orderBy('finished_at')
    .orderBy('run_id')
    .limit(limit)
    .execute();
  const runs: UnprunedRun[] = [];
  for (const { run_id } of ended) {
    const rows = db.selectFrom('run_frames').selectAll().where('run_id', '=', run_id).orderBy('first_seq');
    runs.push({ runId: run_id, rows: (await rows.execute()).map(toFrameRow) });
  }
  return runs;
}
