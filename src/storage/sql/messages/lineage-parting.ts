// Finds where the lineages of two checkpoints part, and the messages that only one of them has.
import { ancestorsOf, type Read } from '../checkpoints/ancestors.ts';
import { allRows } from '../database/all-rows.ts';
import { messageEvents, messageIdIn } from './recorded-messages.ts';
import { messagesIn } from './thread-lineage.ts';

/** The start and the target of a move of a thread's head; `null` means no state. */
export interface Heads {
  readonly threadId: string;
  readonly fromId: string | null;
  readonly toId: string | null;
}

interface Parting {
  /** The `seq` of messages that only the old lineage has. */
  readonly left: readonly number[];
  /** The `seq` of messages that only the new lineage has. */
  readonly returned: readonly number[];
}

/**
 * Returns the messages that only one lineage has. Checkpoints and events never change, so the result stays
 * correct.
 */
export async function partingOf(read: Read, { threadId, fromId, toId }: Heads): Promise<Parting> {
  const { left, returned } = await checkpointsOf(read, fromId, toId);
  return {
    left: await messageSeqs(read, threadId, left),
    returned: await messageSeqs(read, threadId, returned),
  };
}

/**
 * Returns the checkpoints of each lineage that are not on the other. The cost grows with the distance of both
 * from the point where they part.
 */
async function checkpointsOf(read: Read, fromId: string | null, toId: string | null) {
  const from = ancestorsOf(read, fromId);
  const to = ancestorsOf(read, toId);
  const left: string[] = [];
  const returned: string[] = [];
  let ours = (await from.next()).value;
  let theirs = (await to.next()).value;
  while (ours?.checkpoint_id !== theirs?.checkpoint_id) {
    const [ourStep, theirStep] = [ours?.step ?? BEFORE_ALL, theirs?.step ?? BEFORE_ALL];
    if (ours !== undefined && ourStep >= theirStep) {
      left.push(ours.checkpoint_id);
      ours = (await from.next()).value;
    }
    if (theirs !== undefined && theirStep >= ourStep) {
      returned.push(theirs.checkpoint_id);
      theirs = (await to.next()).value;
    }
  }
  return { left, returned };
}

const BEFORE_ALL = Number.NEGATIVE_INFINITY;

const MESSAGES_AT_ONCE = 50;

/** Returns the `seq` of the recorded messages that the checkpoints added. */
async function messageSeqs(
  read: Read,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (const [runId, ids] of await messagesIn(read, threadId, checkpointIds)) {
    const messages = allRows({ by: 'seq', after: -1, atOnce: MESSAGES_AT_ONCE }, (after) =>
      read((db) =>
        messageEvents(db, threadId)
          .select(['seq', 'content'])
          .where('run_id', '=', runId)
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(MESSAGES_AT_ONCE)
          .execute(),
      ),
    );
    for await (const { seq, content } of messages) if (ids.has(messageIdIn(content) ?? '')) seqs.push(seq);
  }
  return seqs;
}
