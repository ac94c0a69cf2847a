// Admits a run to its thread: inserts the request as a row and cancels the runs that it replaces.
import { createBreath, inTurns } from '../../breath.ts';
import { conflict, notFound, ServiceError } from '../../errors.ts';
import { metadataBytes } from '../../messages/bounded-json.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import type { Admission, MultitaskStrategy, NewRun, RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { stateBytes, type ThreadStates } from '../../storage/thread-states.ts';
import type { AdmitMetadata } from '../../storage/usage.ts';
import type { RunDispatcher } from '../execution/run-dispatcher.ts';
import { humanMessageEvent, messageContent } from '../record/journal.ts';
import { fromKwargs, type RunRequest, toKwargs } from '../request/run-request.ts';

export interface RunAdmissionParts {
  readonly dispatcher: Pick<RunDispatcher, 'cancel' | 'hold' | 'wake' | 'wakeAfter'>;
  /** Called when runs ended while they waited, so that their readers are woken. */
  readonly onEnded: (runIds: readonly string[]) => void;
  readonly states: ThreadStates;
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
  readonly maxWaitingPerUser: number;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A waiting run starts whenever another run of the user ends. */
const RETRY_SECONDS = 5;

interface AdmissionRequest {
  readonly threadId: string;
  readonly request: RunRequest;
}

/**
 * Returns the durable run, which the dispatcher starts immediately or when its turn comes, or the earlier run
 * with the same idempotency key. Throws `conflict`, `not_found`, `too_many_waiting`, and `payload_too_large`
 * when the input does not fit into the thread's state, or the metadata not into the user's quota.
 */
export async function admitRun(
  parts: RunAdmissionParts,
  repositories: Repositories,
  { threadId, request }: AdmissionRequest,
): Promise<RunRecord> {
  await requireQueueSpace(parts, repositories, { threadId, request });
  const metadataSize = metadataBytes(request.metadata);
  if (metadataSize > 0)
    await parts.admitMetadata((await repositories.threads.get(threadId))?.userId ?? null, metadataSize);
  const now = parts.now();
  // Each message may be megabytes long.
  const messages = await inTurns(request.messages, createBreath(), messageContent);
  const questions = messages.filter((_, index) => request.messages[index]?.type === 'human');
  const admitted = await admitAndStart(parts.dispatcher, repositories, {
    runId: parts.newId(),
    threadId,
    assistantId: request.assistantId,
    metadata: request.metadata,
    kwargs: toKwargs(request, messages),
    multitaskStrategy: request.multitaskStrategy,
    followUpToRunId: request.followUpToRunId,
    idempotencyKey: request.idempotencyKey,
    ...(request.delayMs === 0 ? {} : { delayMs: request.delayMs }),
    webhook: request.webhook,
    maxWaiting: parts.maxWaitingPerUser,
    events: questions.map((message) => humanMessageEvent(message, now)),
    now,
  });
  switch (admitted.kind) {
    case 'admitted':
      makeWay(parts, admitted, request.multitaskStrategy);
      return admitted.run;
    case 'repeated':
      return admitted.run;
    case 'busy':
      throw conflict('The thread is busy with another run. Wait for it, or cancel it.');
    case 'too_many_waiting':
      throw new ServiceError(
        'too_many_waiting',
        `You have ${parts.maxWaitingPerUser} runs waiting already (runs.max_waiting_per_user). Try again when some of them have begun, or cancel some.`,
        { retryAfterSeconds: RETRY_SECONDS },
      );
    case 'no_thread':
      throw notFound('Thread');
  }
}

/** Admits the run, and claims it in the same transaction if a place is held and it may start; else later. */
async function admitAndStart(
  dispatcher: RunAdmissionParts['dispatcher'],
  { runs }: Repositories,
  run: NewRun,
): Promise<Admission> {
  const { runId, delayMs } = run;
  const place = delayMs === undefined ? dispatcher.hold(runId) : undefined;
  let claimed: RunRecord | undefined;
  try {
    const admission = await runs.admit(run, place?.claim);
    if (admission.kind === 'admitted') claimed = admission.claimed;
    if (!('run' in admission) || claimed !== undefined) return admission;
    if (delayMs === undefined) dispatcher.wake(admission.run.runId);
    else dispatcher.wakeAfter(delayMs);
    return admission;
  } finally {
    place?.settle(claimed);
  }
}

/** Notifies callers that wait for the displaced runs, and the processes that execute them. */
function makeWay(
  { dispatcher, onEnded }: RunAdmissionParts,
  { displaced, ended }: Extract<Admission, { kind: 'admitted' }>,
  strategy: MultitaskStrategy,
): void {
  if (ended.length > 0) onEnded(ended);
  const stopReason = strategy === 'rollback' ? 'rolled_back' : 'replaced';
  for (const { runId } of displaced) void dispatcher.cancel(runId, stopReason);
}

async function bytesOf({ messages, command }: Pick<RunRequest, 'messages' | 'command'>): Promise<number> {
  const breath = createBreath();
  let bytes = command === undefined ? 0 : Buffer.byteLength(JSON.stringify(command.update));
  for (const message of messages) {
    await breath();
    bytes += serializedMessage(message).bytes;
  }
  await breath();
  return bytes;
}

/** Throws when the input does not fit. The bytes to fold bound the state's size and usually decide alone. */
async function requireQueueSpace(
  { states, maxStateBytes }: RunAdmissionParts,
  { threads, checkpoints }: Repositories,
  { threadId, request }: AdmissionRequest,
): Promise<void> {
  const { checkpointId } = request;
  const input = await bytesOf(request);
  const folded =
    checkpointId === undefined
      ? await checkpoints.headBytes([threadId])
      : ((await checkpoints.get(threadId, checkpointId))?.foldBytes ?? 0);
  if (input + folded <= maxStateBytes) return;
  const baseId = checkpointId ?? (await threads.get(threadId))?.headCheckpointId ?? null;
  const base = baseId === null ? undefined : await states.at(checkpoints, threadId, baseId);
  if (input + (base === undefined ? 0 : stateBytes(base)) <= maxStateBytes) return;
  throw new ServiceError(
    'payload_too_large',
    `With this input the state of the thread would be larger than ${maxStateBytes / 1_048_576} MB (runs.max_state_mb). Remove messages from it first, or start a new thread.`,
  );
}

/**
 * Returns the request with the choices and agent version of the run that waits at its starting point. A
 * request with messages is returned unchanged.
 */
export async function withContinuedChoices(
  repositories: Repositories,
  threadId: string,
  request: RunRequest,
): Promise<RunRequest> {
  if (request.messages.length > 0) return request;
  const waiting = await waitingRun(repositories, threadId, request.checkpointId);
  if (waiting === undefined) return request;
  const { agent, options: continued } = fromKwargs(waiting.kwargs);
  const { recursionLimit, interruptBefore, interruptAfter } = request.options;
  const options = { ...continued, recursionLimit, interruptBefore, interruptAfter, ...request.chosen };
  return { ...request, options, agent: agent ?? request.agent };
}

async function waitingRun(
  { threads, checkpoints, runs }: Repositories,
  threadId: string,
  checkpointId: string | undefined,
): Promise<RunRecord | undefined> {
  const id = checkpointId ?? (await threads.get(threadId))?.headCheckpointId;
  const checkpoint = id == null ? undefined : await checkpoints.get(threadId, id);
  if (checkpoint === undefined || checkpoint.next.length === 0) return undefined;
  // A state update belongs to no run, so the newest run is the one that waits.
  const [newest] = checkpoint.runId === null ? await runs.list(threadId, { limit: 1, offset: 0 }) : [];
  return checkpoint.runId === null ? newest : runs.get(checkpoint.runId);
}
