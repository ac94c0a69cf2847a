// The revisions of a thread's messages as its record has them, and which of them stand on a line of checkpoints.
import { z } from 'zod';
import type { WriteTransaction } from './database.ts';
import { IS_RARE } from './event-pages.ts';
import { parseJson } from './json-column.ts';
import { REVISION_EVENTS } from './message-marks.ts';
import { FROM_THE_START, lineTo } from './thread-line.ts';

export interface StoredRevision {
  readonly seq: number;
  readonly eventType: string;
  readonly messageId: string;
  readonly checkpointId: string;
  /** The `seq` of the message; `null` while it is being imported. */
  readonly revises: number | null;
}

const revisionMetadata = z.looseObject({ message_id: z.string(), checkpoint_id: z.string() });

/** In rising `seq`; on one line of checkpoints that is their order. */
export async function storedRevisions(
  trx: WriteTransaction,
  threadId: string,
): Promise<readonly StoredRevision[]> {
  const rows = await trx
    .selectFrom('run_events')
    .select(['seq', 'event_type', 'metadata', 'revises'])
    .where('thread_id', '=', threadId)
    .where('event_type', 'in', REVISION_EVENTS)
    .where(IS_RARE)
    .orderBy('seq')
    .execute();
  return rows.flatMap(({ seq, event_type: eventType, metadata, revises }) => {
    // A package may bring anything.
    const parsed = revisionMetadata.safeParse(parseJson(metadata));
    if (!parsed.success) return [];
    const { message_id: messageId, checkpoint_id: checkpointId } = parsed.data;
    return [{ seq, eventType, messageId, checkpointId, revises }];
  });
}

/** By message, the last revision on the line to the head; `undefined` where none of them is on it. */
export async function standingRevisions(
  trx: WriteTransaction,
  revisions: readonly StoredRevision[],
  headId: string | null,
): Promise<ReadonlyMap<number, StoredRevision | undefined>> {
  const made = new Set(revisions.map(({ checkpointId }) => checkpointId));
  const floor = await lowestStep(trx, [...made]);
  const line = await lineTo(trx, headId, floor);
  const standing = new Map<number, StoredRevision | undefined>();
  for (const revision of revisions) {
    const { revises, checkpointId } = revision;
    if (revises === null) continue;
    standing.set(revises, line.has(checkpointId) ? revision : standing.get(revises));
  }
  return standing;
}

const IDS_AT_ONCE = 500;

async function lowestStep(trx: WriteTransaction, checkpointIds: readonly string[]): Promise<number> {
  let lowest: number | undefined;
  for (let first = 0; first < checkpointIds.length; first += IDS_AT_ONCE) {
    const ids = checkpointIds.slice(first, first + IDS_AT_ONCE);
    const steps = trx.selectFrom('checkpoints').select((eb) => eb.fn.min('step').as('lowest'));
    const row = await steps.where('checkpoint_id', 'in', ids).executeTakeFirst();
    if (typeof row?.lowest === 'number') lowest = Math.min(lowest ?? row.lowest, row.lowest);
  }
  return lowest ?? FROM_THE_START;
}
