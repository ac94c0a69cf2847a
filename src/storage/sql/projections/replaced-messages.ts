// Which messages the conversation went on without: those that are not on the line to the thread's head.
import { judgedMessages, markedAs } from '../messages/thread-line.ts';
import type { ThreadProjection } from './projection.ts';

export const replacedMessages: ThreadProjection = {
  name: 'replaced messages',
  async *check({ trx, row, isActive }) {
    // A run that goes on writes its messages and its checkpoints at different moments.
    if (isActive) return;
    const { thread_id: threadId, head_checkpoint_id: headId } = row;
    for await (const { seq, runId, stored, folded } of judgedMessages(trx, threadId, headId)) {
      if (stored === folded) continue;
      const mended = trx.updateTable('run_events').set({ is_replaced: markedAs(folded) });
      yield {
        runId,
        what: `message ${seq}`,
        stored,
        folded,
        mend: () => mended.where('thread_id', '=', threadId).where('seq', '=', seq).execute(),
      };
    }
  },
};
