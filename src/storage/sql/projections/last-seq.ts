// The counter that gives run events their `seq`: never below the highest one; above it, where runs were deleted.
import type { ThreadProjection } from './projection.ts';

export const lastSeq: ThreadProjection = {
  name: 'seq counter',
  async *check({ trx, row }) {
    const { thread_id, last_seq: stored } = row;
    const events = trx.selectFrom('run_events').where('thread_id', '=', thread_id);
    const found = await events.select((eb) => eb.fn.max('seq').as('highest')).executeTakeFirst();
    const folded = found?.highest ?? 0;
    if (stored >= folded) return;
    yield {
      what: 'last_seq',
      stored,
      folded,
      mend: () =>
        trx.updateTable('threads').set({ last_seq: folded }).where('thread_id', '=', thread_id).execute(),
    };
  },
};
