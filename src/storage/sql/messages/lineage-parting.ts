// Where the lines to two checkpoints part: which messages each of them has alone.
import { AncestorWalk, type Read } from '../checkpoints/ancestor-walk.ts';
import type { Connection } from '../database/database.ts';
import { parseJson } from '../database/json-column.ts';
import { REVISION_EVENTS } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';
import { messageIdOf } from './recorded-messages.ts';
import { messagesIn } from './thread-lineage.ts';

/** From where to where a thread's head moves; `null`: no state. */
export interface Heads {
  readonly threadId: string;
  readonly fromId: string | null;
  readonly toId: string | null;
}

interface Parting {
  /** The `seq` of messages that only the line before held. */
  readonly left: readonly number[];
  /** The `seq` of those that only the new one holds. */
  readonly returned: readonly number[];
}

/** Checkpoints and events never change, so the answer stays right. */
export async function partingOf(read: Read, { threadId, fromId, toId }: Heads): Promise<Parting> {
  const { left, returned } = await checkpointsOf(read, fromId, toId);
  return {
    left: await messageSeqs(read, threadId, left),
    returned: await messageSeqs(read, threadId, returned),
  };
}

/** The checkpoints of each of two lines that are not on the other. Costs what lies between the two and where they part. */
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

/** Where the record has the messages that the checkpoints brought. */
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

/** By the run that brought them. */
async function messagesOf(
  read: Read,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const messages = new Map<string, Set<string>>();
  for (let first = 0; first < checkpointIds.length; first += DELTAS_AT_ONCE) {
    const page = checkpointIds.slice(first, first + DELTAS_AT_ONCE);
    for (const [runId, ids] of await read((db) => messagesIn(db, threadId, page)))
      messages.set(runId, new Set([...(messages.get(runId) ?? []), ...ids]));
  }
  return messages;
}

async function* messageEvents(read: Read, threadId: string, runId: string) {
  for (let after = -1; ; ) {
    const page = await read((db) => messagesAfter(db, { threadId, runId, after }));
    for (const { seq, content } of page)
      yield { seq, messageId: messageIdOf(parseJson(unpackText(content ?? 'null'))) ?? '' };
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
