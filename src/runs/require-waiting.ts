// A command that answers or moves a waiting thread is refused while nothing waits.
import { conflict } from '../errors.ts';
import type { Repositories } from '../storage/storage.ts';
import type { RunRequest } from './run-request.ts';
import { pendingTasks } from './starting-point.ts';

/** Throws `conflict` when the request answers a question that the thread does not ask (decisions, section 4). */
export async function requireWaiting(
  { threads, checkpoints }: Repositories,
  threadId: string,
  { command, checkpointId }: RunRequest,
): Promise<void> {
  if (command?.resume === undefined) return;
  const id = checkpointId ?? (await threads.get(threadId))?.headCheckpointId ?? null;
  const checkpoint = id === null ? undefined : await checkpoints.get(threadId, id);
  const waits =
    checkpoint !== undefined && (checkpoint.next.length > 0 || pendingTasks(checkpoint.tasks).length > 0);
  if (!waits) throw conflict('There is nothing to resume: the thread does not wait for an answer.');
}
