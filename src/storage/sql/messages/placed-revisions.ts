// Which recorded messages revisions are of.
import type { MessageRevision } from '../../run-events.ts';
import type { Read } from '../checkpoints/checkpoint-line.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { type RecordedMessage, recordedMessages } from './recorded-messages.ts';
import { storedRevisions } from './stored-revisions.ts';

/** With its message, as the record has it. */
export interface PlacedRevision extends MessageRevision {
  readonly message: Pick<RecordedMessage, 'seq' | 'runId' | 'userId' | 'eventType'>;
}

interface AskedRevisions {
  readonly threadId: string;
  readonly revisions: readonly MessageRevision[];
  /** `next`: as the messages will stand once the move takes effect that is being prepared. */
  readonly marks: 'now' | 'next';
}

/** Those of messages that a run has recorded and that are on the line; returns of those that were removed. */
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
    const isOnLine = (mark & (LEFT_BEHIND | REPEATED)) === 0;
    if (isOnLine && open.delete(messageId))
      found.set(messageId, { seq, runId, userId, eventType, isRemoved: (mark & REMOVED) !== 0 });
    if (open.size === 0) break;
  }
  return wanted.flatMap((revision) => {
    const message = found.get(revision.messageId);
    if (message === undefined) return [];
    return !revision.isReturn || message.isRemoved ? [{ ...revision, message }] : [];
  });
}

/** Without returns of what was never removed: those would be looked for in vain, through the whole thread. */
async function possible(read: Read, threadId: string, asked: readonly MessageRevision[]) {
  const revisions = await storedRevisions(read, threadId);
  const removals = revisions.filter(({ eventType }) => eventType === 'message_removed');
  const removed = new Set(removals.map(({ messageId }) => messageId));
  return asked.filter(({ isReturn, messageId }) => !isReturn || removed.has(messageId));
}
