// The events in the record for messages that a checkpoint changes afterwards. Pure.
import type { Json, Message } from '../../messages/message.ts';
import type { MessageChange } from '../../messages/message-changes.ts';
import type { NewCheckpoint } from '../../storage/checkpoints.ts';
import type { MessageRevision } from '../../storage/run-events.ts';
import { messageContent } from './journal.ts';
import { runEvent, type UntimedEvent } from './run-event-catalogue.ts';

interface RevisedMessages {
  readonly changes: readonly MessageChange[];
  /** Messages that the state did not have. They may have been in the conversation before. */
  readonly added?: readonly Message[];
}

/** Returns the revisions. A message that is only repeated has none. */
export function messageRevisions(
  { checkpointId, createdAt }: NewCheckpoint,
  { changes, added = [] }: RevisedMessages,
): readonly MessageRevision[] {
  const revision = ({ id }: Message, event: UntimedEvent<Json>, isReturn = false): MessageRevision => {
    return { messageId: id, event: { ...event, createdAt }, isReturn };
  };
  const changed = changes.flatMap(({ kind, message }) => {
    if (kind === 'repeated') return [];
    return [
      revision(message, kind === 'removed' ? removed(message, checkpointId) : edited(message, checkpointId)),
    ];
  });
  return [...changed, ...added.map((message) => revision(message, edited(message, checkpointId), true))];
}

function removed({ id }: Message, checkpointId: string): UntimedEvent<Json> {
  return runEvent('message_removed', '', { message_id: id, checkpoint_id: checkpointId });
}

function edited(message: Message, checkpointId: string): UntimedEvent<Json> {
  const metadata = { message_id: message.id, checkpoint_id: checkpointId };
  return runEvent('message_edited', messageContent(message), metadata);
}
