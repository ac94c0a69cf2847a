// What a request says about checkpoints is checked before the run is accepted.
import { conflict, notFound, type ServiceError } from '../errors.ts';
import type { CheckpointRecord } from '../storage/checkpoints.ts';
import type { Repositories } from '../storage/storage.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Throws `not_found` for a checkpoint that the thread does not have, and `conflict` when the request answers a
 * question that the thread does not ask (decisions, section 4).
 */
export async function requireCheckpoint(
  { threads, checkpoints }: Repositories,
  threadId: string,
  { command, checkpointId }: RunRequest,
): Promise<void> {
  if (checkpointId !== undefined) {
    const checkpoint = await checkpoints.get(threadId, checkpointId);
    if (checkpoint === undefined) throw notFound('Checkpoint');
    if (command?.resume !== undefined) requireWaiting(checkpoint);
  } else if (command?.resume !== undefined) {
    const head = (await threads.get(threadId))?.headCheckpointId ?? null;
    requireWaiting(head === null ? undefined : await checkpoints.get(threadId, head));
  }
}

function requireWaiting(checkpoint: CheckpointRecord | undefined): void {
  if (checkpoint !== undefined && checkpoint.next.length > 0) return;
  throw nothingToResume();
}

export function nothingToResume(): ServiceError {
  return conflict('There is nothing to resume: the thread does not wait for an answer.');
}
