// The recorded revisions of a thread's messages, and which of them are on a lineage of checkpoints.
import { z } from 'zod';
import type { MessageRevision } from '../../run-events.ts';
import { ancestorsOf, type Read } from '../checkpoints/ancestors.ts';
import { allRows } from '../database/all-rows.ts';
import { parseJson } from '../database/json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED, REVISION_EVENTS } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import { IS_RARE } from './event-pages.ts';
import { type RecordedMessage, recordedMessages } from './recorded-messages.ts';

interface StoredRevision {
  readonly seq: number;
  readonly eventType: string;
  readonly messageId: string;
  readonly checkpointId: string;
  /** The `seq` of the message; `null` while it is being imported. */
  readonly revises: number | null;
}

const revisionMetadata = z.looseObject({ message_id: z.string(), checkpoint_id: z.string() });

const EVENTS_AT_ONCE = 250;

/** Returns the revisions by ascending `seq`, which is their order on one lineage. */
export async function storedRevisions(read: Read, threadId: string): Promise<readonly StoredRevision[]> {
  const revisions: StoredRevision[] = [];
  for (const eventType of REVISION_EVENTS) {
    const rows = allRows({ by: 'seq', after: -1, atOnce: EVENTS_AT_ONCE }, (after) =>
      read((db) =>
        db
          .selectFrom('run_events')
          .select(['seq', 'metadata', 'revises'])
          .where('thread_id', '=', threadId)
          .where('event_type', '=', eventType)
          .where('seq', '>', after)
          .where(IS_RARE)
          .orderBy('seq')
          .limit(EVENTS_AT_ONCE)
          .execute(),
      ),
    );
    for await (const row of rows) {
      // An imported package may contain anything.
      const parsed = revisionMetadata.safeParse(parseJson(row.metadata));
      if (!parsed.success) continue;
      const { message_id: messageId, checkpoint_id: checkpointId } = parsed.data;
      revisions.push({ seq: row.seq, eventType, messageId, checkpointId, revises: row.revises });
    }
  }
  return revisions.sort((a, b) => a.seq - b.seq);
}

/** Returns, by message, the last revision on the lineage of the head; `undefined` when none is on it. */
export async function currentRevisions(
  read: Read,
  revisions: readonly StoredRevision[],
  headId: string | null,
): Promise<ReadonlyMap<number, StoredRevision | undefined>> {
  const onLineage = await lineageOf(read, new Set(revisions.map(({ checkpointId }) => checkpointId)), headId);
  const current = new Map<number, StoredRevision | undefined>();
  for (const revision of revisions) {
    const { revises, checkpointId } = revision;
    if (revises === null) continue;
    current.set(revises, onLineage.has(checkpointId) ? revision : current.get(revises));
  }
  return current;
}

/** Returns those of the checkpoints that are on the lineage of the head. */
async function lineageOf(
  read: Read,
  checkpointIds: ReadonlySet<string>,
  headId: string | null,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const floor = await lowestStep(read, [...checkpointIds]);
  for await (const { checkpoint_id: checkpointId, step } of ancestorsOf(read, headId)) {
    if (step < floor) break;
    if (checkpointIds.has(checkpointId)) found.add(checkpointId);
    if (found.size === checkpointIds.size) break;
  }
  return found;
}

const IDS_AT_ONCE = 250;

/** Returns the lowest step of the checkpoints, below which the walk need not continue. */
async function lowestStep(read: Read, checkpointIds: readonly string[]): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (const ids of pagesOf(checkpointIds, IDS_AT_ONCE)) {
    const row = await read((db) =>
      db
        .selectFrom('checkpoints')
        .select((eb) => eb.fn.min('step').as('lowest'))
        .where('checkpoint_id', 'in', ids)
        .executeTakeFirst(),
    );
    if (typeof row?.lowest === 'number') lowest = Math.min(lowest, row.lowest);
  }
  return lowest;
}

/** A revision with its recorded message. */
export interface PlacedRevision extends MessageRevision {
  readonly message: Pick<RecordedMessage, 'seq' | 'runId' | 'userId' | 'eventType'>;
}

interface AskedRevisions {
  readonly threadId: string;
  readonly revisions: readonly MessageRevision[];
  /** `next`: the marks that the move being prepared gives the messages. */
  readonly marks: 'now' | 'next';
}

/** Returns the revisions of recorded messages on the lineage; of returns, only those of removed messages. */
export async function placedRevisions(
  read: Read,
  { threadId, revisions, marks }: AskedRevisions,
): Promise<readonly PlacedRevision[]> {
  const hasReturns = revisions.some(({ isReturn }) => isReturn);
  const wanted = hasReturns ? await possible(read, threadId, revisions) : revisions;
  const open = new Set(wanted.map(({ messageId }) => messageId));
  if (open.size === 0) return [];
  const found = new Map<string, PlacedRevision['message'] & { readonly isRemoved: boolean }>();
  for await (const message of recordedMessages(read, threadId)) {
    const { seq, runId, userId, eventType, messageId, isReplaced, nextReplaced } = message;
    const mark = marks === 'now' ? isReplaced : (nextReplaced ?? isReplaced);
    const isOnLineage = (mark & (LEFT_BEHIND | REPEATED)) === 0;
    if (isOnLineage && open.delete(messageId))
      found.set(messageId, { seq, runId, userId, eventType, isRemoved: (mark & REMOVED) !== 0 });
    if (open.size === 0) break;
  }
  return wanted.flatMap((revision) => {
    const message = found.get(revision.messageId);
    if (message === undefined) return [];
    return !revision.isReturn || message.isRemoved ? [{ ...revision, message }] : [];
  });
}

/**
 * Omits returns of messages that were never removed, which would be searched for in vain through the whole
 * thread.
 */
async function possible(read: Read, threadId: string, asked: readonly MessageRevision[]) {
  const revisions = await storedRevisions(read, threadId);
  const removals = revisions.filter(({ eventType }) => eventType === 'message_removed');
  const removed = new Set(removals.map(({ messageId }) => messageId));
  return asked.filter(({ isReturn, messageId }) => !isReturn || removed.has(messageId));
}
