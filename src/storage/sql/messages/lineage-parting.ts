// Finds where the lineages of two checkpoints part, and the messages that only one of them has.
import { AncestorWalk, type Read } from '../checkpoints/ancestor-walk.ts';
import type { Connection } from '../database/database.ts';
import { REVISION_EVENTS } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import { messageIdIn } from './recorded-messages.ts';
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
  const from = await AncestorWalk.from(read, fromId);
  const to = await AncestorWalk.from(read, toId);
  const left: string[] = [];
  const returned: string[] = [];
  while (from.now !== undefined || to.now !== undefined) {
    const [ours, theirs] = [from.now, to.now];
    if (ours?.checkpoint_id === theirs?.checkpoint_id) break;
    const [ourStep, theirStep] = [ours?.step ?? BEFORE_ALL, theirs?.step ?? BEFORE_ALL];
    if (ours !== undefined && ourStep >= theirStep) {
      left.push(ours.checkpoint_id);
      await from.next();
    }
    if (theirs !== undefined && theirStep >= ourStep) {
      returned.push(theirs.checkpoint_id);
      await to.next();
    }
  }
  return { left, returned };
}

const BEFORE_ALL = Number.NEGATIVE_INFINITY;

/** Returns the `seq` of the recorded messages that the checkpoints added. */
async function messageSeqs(
  read: Read,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (const [runId, ids] of await messagesOf(read, threadId, checkpointIds)) {
    for await (const { seq, messageId } of messageEvents(read, threadId, runId)) {
      if (ids.has(messageId)) seqs.push(seq);
    }
  }
  return seqs;
}

const DELTAS_AT_ONCE = 20;
const MESSAGES_AT_ONCE = 50;

/** Returns the ids of the messages that the checkpoints added, by run. */
async function messagesOf(
  read: Read,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const messages = new Map<string, Set<string>>();
  for (const page of pagesOf(checkpointIds, DELTAS_AT_ONCE)) {
    for (const [runId, ids] of await read((db) => messagesIn(db, threadId, page)))
      messages.set(runId, new Set([...(messages.get(runId) ?? []), ...ids]));
  }
  return messages;
}

async function* messageEvents(read: Read, threadId: string, runId: string) {
  for (let after = -1; ; ) {
    const page = await read((db) => messagesAfter(db, { threadId, runId, after }));
    for (const { seq, content } of page) yield { seq, messageId: messageIdIn(content) ?? '' };
    after = page.at(-1)?.seq ?? after;
    if (page.length < MESSAGES_AT_ONCE) return;
  }
}

interface MessagePlace {
  readonly threadId: string;
  readonly runId: string;
  readonly after: number;
}

function messagesAfter(db: Connection, { threadId, runId, after }: MessagePlace) {
  return db
    .selectFrom('run_events')
    .select(['seq', 'content'])
    .where('run_id', '=', runId)
    .where('thread_id', '=', threadId)
    .where('seq', '>', after)
    .where('category', '=', 'message')
    .where('content_format', '=', 'json')
    .where('event_type', 'not in', REVISION_EVENTS)
    .orderBy('seq')
    .limit(MESSAGES_AT_ONCE)
    .execute();
}
