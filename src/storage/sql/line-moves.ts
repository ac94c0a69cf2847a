// The head of a thread moves to another branch: which messages it leaves behind and which it goes back to.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { LineMove } from '../run-commits.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { parseJson } from './json-column.ts';
import { REVISION_EVENTS } from './message-marks.ts';
import { unpackText } from './packed-text.ts';
import { messageIdOf } from './recorded-messages.ts';
import { markedAs, messagesIn } from './thread-line.ts';

/** From where to where; `null`: no state. */
interface Heads {
  readonly threadId: string;
  readonly fromId: string | null;
  readonly toId: string | null;
}

type Read = <T>(query: (db: Connection) => Promise<T>) => Promise<T>;

/**
 * What the move changes, read a bounded amount at a time and outside of any transaction. What the two lines hold stays
 * as it is, so the answer is right for as long as the thread stands where it stood.
 */
export function plannedMove(database: Database, heads: Heads): Promise<LineMove> {
  return readMove(async (query) => {
    await nextTurn();
    return database.read(query);
  }, heads);
}

/**
 * Marks the messages that only the line before held, and unmarks those that only the new one holds: as it was planned, if
 * the plan is of this very move.
 */
export async function moveLine(
  trx: WriteTransaction,
  heads: Heads,
  planned: LineMove | undefined,
): Promise<void> {
  const { threadId, fromId, toId } = heads;
  if (fromId === toId) return;
  const isPlanned = planned?.fromId === fromId && planned.toId === toId;
  const { left, returned } = isPlanned ? planned : await readMove((query) => query(trx), heads);
  await mark(trx, { threadId, seqs: left, replaced: 1 });
  await mark(trx, { threadId, seqs: returned, replaced: 0 });
}

async function readMove(read: Read, { threadId, fromId, toId }: Heads): Promise<LineMove> {
  const { left, returned } = await branches(read, fromId, toId);
  return {
    fromId,
    toId,
    left: await messageSeqs(read, threadId, left),
    returned: await messageSeqs(read, threadId, returned),
  };
}

/** The checkpoints of each of two lines that are not on the other. Costs what lies between the two and where they part. */
async function branches(read: Read, fromId: string | null, toId: string | null) {
  const from = await Line.at(read, fromId);
  const to = await Line.at(read, toId);
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
const CHECKPOINTS_AT_ONCE = 100;

interface Place {
  readonly checkpoint_id: string;
  readonly parent_id: string | null;
  readonly step: number;
}

/** A walk from a checkpoint through its ancestors, whose steps fall. */
class Line {
  readonly #read: Read;
  #page: readonly Place[] = [];
  #at = 0;

  private constructor(read: Read) {
    this.#read = read;
  }

  static async at(read: Read, checkpointId: string | null): Promise<Line> {
    const line = new Line(read);
    await line.#load(checkpointId);
    return line;
  }

  get now(): Place | undefined {
    return this.#page[this.#at];
  }

  async next(): Promise<void> {
    const parentId = this.now?.parent_id ?? null;
    this.#at += 1;
    if (this.now === undefined) await this.#load(parentId);
  }

  async #load(checkpointId: string | null): Promise<void> {
    this.#page = checkpointId === null ? [] : await this.#read((db) => ancestors(db, checkpointId));
    this.#at = 0;
  }
}

/** The checkpoint and those before it, the nearest first. */
async function ancestors(db: Connection, checkpointId: string): Promise<readonly Place[]> {
  const { rows } = await sql<Place>`
    with recursive line (checkpoint_id, parent_id, step, distance) as (
      select checkpoint_id, parent_id, step, 1 from checkpoints where checkpoint_id = ${checkpointId}
      union all
      select parent.checkpoint_id, parent.parent_id, parent.step, distance + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
      where distance < ${CHECKPOINTS_AT_ONCE}
    )
    select checkpoint_id, parent_id, step from line order by distance`.execute(db);
  return rows;
}

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

interface Marking {
  readonly threadId: string;
  readonly seqs: readonly number[];
  readonly replaced: 0 | 1;
}

const MARKS_AT_ONCE = 500;

async function mark(trx: WriteTransaction, { threadId, seqs, replaced }: Marking): Promise<void> {
  for (let first = 0; first < seqs.length; first += MARKS_AT_ONCE) {
    const events = trx.updateTable('run_events').set({ is_replaced: markedAs(replaced) });
    const some = seqs.slice(first, first + MARKS_AT_ONCE);
    await events.where('thread_id', '=', threadId).where('seq', 'in', some).execute();
  }
}
