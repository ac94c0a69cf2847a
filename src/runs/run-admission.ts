// A run enters its thread: what was asked becomes a row, and the runs that it takes the place of are told to end.
import { conflict, notFound } from '../errors.ts';
import type { RunRecord } from '../storage/runs.ts';
import type { Repositories } from '../storage/storage.ts';
import { humanMessageEvent } from './journal.ts';
import type { RunDispatcher } from './run-dispatcher.ts';
import type { RunRequest } from './run-request.ts';
import { toKwargs } from './stored-request.ts';

export interface RunAdmissionParts {
  readonly dispatcher: Pick<RunDispatcher, 'cancel'>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface AdmissionRequest {
  readonly threadId: string;
  readonly request: RunRequest;
}

/** The run, durable; an earlier one with the same idempotency key. Throws `conflict` and `not_found`. */
export async function admitRun(
  parts: RunAdmissionParts,
  repositories: Repositories,
  { threadId, request }: AdmissionRequest,
): Promise<RunRecord> {
  const now = parts.now();
  const questions = request.messages.filter((message) => message.type === 'human');
  const admitted = await repositories.runs.admit({
    runId: parts.newId(),
    threadId,
    assistantId: request.assistantId,
    metadata: request.metadata,
    kwargs: toKwargs(request),
    multitaskStrategy: request.multitaskStrategy,
    ...(request.followUpToRunId === undefined ? {} : { followUpToRunId: request.followUpToRunId }),
    ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
    ...(request.delayMs === 0 ? {} : { startAfter: now + request.delayMs }),
    events: questions.map((message) => humanMessageEvent(message, now)),
    now,
  });
  switch (admitted.kind) {
    case 'admitted':
      for (const { runId } of admitted.displaced) {
        void parts.dispatcher.cancel(
          runId,
          request.multitaskStrategy === 'rollback' ? 'rolled_back' : 'replaced',
        );
      }
      return admitted.run;
    case 'repeated':
      return admitted.run;
    case 'busy':
      throw conflict('The thread is busy with another run. Wait for it, or cancel it.');
    case 'no_thread':
      throw notFound('Thread');
    default:
      return admitted satisfies never;
  }
}
