// Runs without a thread. Each gets its own thread, and a repeated request gets the run that it got before.
import { createHash } from 'node:crypto';
import { notFound, ServiceError } from '../../errors.ts';
import { requireInput } from '../../runs/request/require-checkpoint.ts';
import type { RunRequest } from '../../runs/request/run-request.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { AppContext } from '../api/context.ts';

interface StatelessRunParts {
  readonly runs: RunService;
  readonly threads: ThreadService;
  readonly newId: () => string;
}

/** Gives a run of a batch its own key. No header has a line break, so it equals no key of a single run. */
export function inBatch(request: RunRequest, index: number): RunRequest {
  const { idempotencyKey: key } = request;
  return key === undefined ? request : { ...request, idempotencyKey: `${key}\n${index}` };
}

/**
 * Throws `not_found` for a request that follows a run: a new thread has none. Without this check, the later
 * refusal would leave the thread behind.
 */
export function requireNothingFollowed({ followUpToRunId }: RunRequest): void {
  if (followUpToRunId !== undefined) throw notFound('Run');
}

/**
 * Starts a run on its own thread. Throws as `RunService.start`, and `validation_failed` without a message.
 */
export async function startStateless(
  parts: StatelessRunParts,
  c: AppContext,
  request: RunRequest,
): Promise<RunRecord> {
  requireInput(request);
  const { repositories } = c.var;
  const repeated = await parts.runs.findRepeated(repositories, request);
  if (repeated !== undefined) return repeated;
  requireNothingFollowed(request);
  const thread = await threadFor(parts, c, request);
  // Created by a copy of this request whose run has started, or for a run that no longer has the key.
  const begun = thread.headCheckpointId !== null;
  const copy = begun ? await parts.runs.findRepeated(repositories, request) : undefined;
  if (copy !== undefined) return copy;
  const own = begun ? await newThread(parts, c, request) : thread;
  try {
    return await parts.runs.start(repositories, own.threadId, request);
  } catch (error) {
    // A thread with a key stays, because a copy of this request may be using it.
    if (isRefusal(error) && request.idempotencyKey === undefined)
      await parts.threads.delete(repositories, own, { activeRuns: 'refuse' });
    throw error;
  }
}

/** Whether the error means that certainly nothing was admitted. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'too_many_waiting' ||
      error.code === 'payload_too_large' ||
      error.code === 'validation_failed')
  );
}

/**
 * Returns the thread for a request. Its id is derived from user and key, so concurrent copies of the request
 * create only one.
 */
async function threadFor(
  parts: StatelessRunParts,
  c: AppContext,
  request: RunRequest,
): Promise<ThreadRecord> {
  const { idempotencyKey: key, deleteThread: temporary } = request;
  if (key === undefined) return newThread(parts, c, request);
  const digest = createHash('sha256')
    .update(JSON.stringify([c.var.user.id, key]))
    .digest('hex');
  try {
    return await parts.threads.create(c.var.repositories, {
      userId: c.var.user.id,
      threadId: toUuid(digest),
      temporary,
    });
  } catch (error) {
    // The thread of an earlier run with this key is being removed.
    if (error instanceof ServiceError && error.code === 'conflict') return newThread(parts, c, request);
    throw error;
  }
}

function newThread(
  { threads, newId }: StatelessRunParts,
  c: AppContext,
  { deleteThread: temporary }: RunRequest,
): Promise<ThreadRecord> {
  return threads.create(c.var.repositories, { userId: c.var.user.id, threadId: newId(), temporary });
}

/** Returns a UUID of version 8, which is for non-random ids. */
function toUuid(digest: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
