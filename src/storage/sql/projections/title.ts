// The title of a thread, which is that of its state.
import { sql } from 'kysely';
import { z } from 'zod';
import type { WriteTransaction } from '../database/database.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import type { ThreadProjection } from './projection.ts';

/** A state without a title leaves the thread the one that it has. */
export const title: ThreadProjection = {
  name: 'title',
  async *check({ trx, row, isActive }) {
    // A run gives the thread its title at its end.
    if (isActive || row.head_checkpoint_id === null) return;
    const folded = await titleAt(trx, row.head_checkpoint_id);
    if (folded === undefined || folded === row.display_name) return;
    yield {
      what: 'display_name',
      stored: row.display_name,
      folded,
      mend: () =>
        trx
          .updateTable('threads')
          .set({ display_name: folded })
          .where('thread_id', '=', row.thread_id)
          .execute(),
    };
  },
};

/** Texts that are read at once. */
const PAGE = 20;

const titled = z.object({ values: z.object({ title: z.unknown() }) });

/** From the newest delta back to the first that says something about the title. */
async function titleAt(trx: WriteTransaction, head: string): Promise<string | undefined> {
  const ids = await lineBack(trx, head);
  for (let start = 0; start < ids.length; start += PAGE) {
    const page = ids.slice(start, start + PAGE);
    const rows = await trx
      .selectFrom('checkpoints')
      .select(['checkpoint_id', sql<PackedText>`coalesce(snapshot, delta)`.as('text')])
      .where('checkpoint_id', 'in', page)
      .execute();
    const texts = new Map(rows.map((row) => [row.checkpoint_id, row.text]));
    for (const id of page) {
      const delta = titled.safeParse(JSON.parse(unpackText(texts.get(id) ?? '{}')));
      if (!delta.success || delta.data.values.title === undefined) continue;
      return typeof delta.data.values.title === 'string' ? delta.data.values.title : undefined;
    }
  }
  return undefined;
}

/** Newest first, as far as the nearest snapshot. */
async function lineBack(trx: WriteTransaction, head: string): Promise<readonly string[]> {
  const { rows } = await sql<{ checkpoint_id: string }>`
    with recursive line (checkpoint_id, parent_id, depth) as (
      select checkpoint_id, case when snapshot is null then parent_id end, 0
      from checkpoints where checkpoint_id = ${head}
      union all
      select parent.checkpoint_id, case when parent.snapshot is null then parent.parent_id end, line.depth + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
    ) select checkpoint_id from line order by depth`.execute(trx);
  return rows.map((row) => row.checkpoint_id);
}
