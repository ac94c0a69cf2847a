// Checks what a request says about checkpoints, before the run is admitted.
import { conflict, notFound, type ServiceError, validationFailed } from '../../errors.ts';
import { LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import type { CheckpointRecord } from '../../storage/checkpoints.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { RunRequest } from './run-request.ts';

/** `next` of the checkpoint before the first message of a thread. */
export const BEFORE_INPUT = '__start__';

/**
 * Returns the checkpoint whose questions the request answers, if it does. Throws `not_found` for a checkpoint
 * that the thread lacks, `validation_failed` for a run without messages at the one before the first message,
 * and `conflict` for an answer that the thread does not wait for
 * (docs/contract/runs.md#questions-to-the-person).
 */
export async function requireCheckpoint(
  { threads, checkpoints }: Repositories,
  threadId: string,
  request: RunRequest,
): Promise<string | undefined> {
  const { command, checkpointId } = request;
  if (checkpointId !== undefined) {
    const checkpoint = await checkpoints.get(threadId, checkpointId);
    // A sub-agent's checkpoint is not a state of the thread.
    if (checkpoint === undefined || checkpoint.namespace !== LEAD_NAMESPACE) throw notFound('Checkpoint');
    if (checkpoint.next[0] === BEFORE_INPUT) requireInput(request);
    return command?.resume === undefined ? undefined : requireWaiting(checkpoint);
  }
  if (command?.resume === undefined) return undefined;
  const head = (await threads.get(threadId))?.headCheckpointId ?? null;
  const answered = requireWaiting(head === null ? undefined : await checkpoints.get(threadId, head));
  // A rollback reopens an earlier question. Which one is only known when the run begins.
  return request.multitaskStrategy === 'rollback' ? undefined : answered;
}

/**
 * Checks that a run brings messages where there are none yet, and answers no question. Throws
 * `validation_failed` and `conflict`.
 */
export function requireInput({ messages, command }: RunRequest): void {
  if (command?.resume !== undefined) throw nothingToResume();
  if (messages.length > 0 || (command !== undefined && command.update.messages.length > 0)) return;
  throw validationFailed(
    ['body', 'input', 'messages'],
    'Field required: there are no messages yet',
    'missing',
  );
}

function requireWaiting(checkpoint: CheckpointRecord | undefined): string {
  if (checkpoint !== undefined && checkpoint.next.length > 0) return checkpoint.checkpointId;
  throw nothingToResume();
}

function nothingToResume(): ServiceError {
  return conflict('There is nothing to resume: the thread does not wait for an answer.');
}
