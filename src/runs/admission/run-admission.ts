// Admits a run to its thread: inserts the request as a row and cancels the runs that it replaces.
import { createBreath, inTurns } from '../../breath.ts';
import { conflict, notFound, ServiceError } from '../../errors.ts';
import { metadataBytes } from '../../messages/bounded-json.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import type { AgentPin } from '../../storage/agents.ts';
import type { Admission, MultitaskStrategy, NewRun, RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { stateBytes, type ThreadStates } from '../../storage/thread-states.ts';
import type { AdmitMetadata } from '../../storage/usage.ts';
import type { RunDispatcher } from '../execution/run-dispatcher.ts';
import { humanMessageEvent, messageContent } from '../record/journal.ts';
import type { AgentChoices, RunRequest } from '../request/run-request.ts';
import { fromKwargs, toKwargs } from '../request/stored-request.ts';

interface RunAdmissionParts {
  readonly dispatcher: Pick<RunDispatcher, 'cancel' | 'hold' | 'wake' | 'wakeAfter'>;
  readonly onEnded: (runIds: readonly string[]) => void;
  readonly states: ThreadStates;
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
  /** Runs of one user that may wait. */
  readonly maxWaitingPerUser: number;
  readonly now: () => number;
  readonly newId: () => string;
}

/** One of them begins whenever another run of the user ends. */
const RETRY_SECONDS = 5;

interface AdmissionRequest {
  readonly threadId: string;
  readonly request: RunRequest;
  /** The checkpoint whose questions it answers. */
  readonly answers: string | undefined;
}

/**
 * The run, durable, and in the hands of the dispatcher: it begins at once, or when it is its turn. An earlier one with the same idempotency key. Throws `conflict`, `not_found`, `too_many_waiting`, and
 * `payload_too_large` where the state of the thread has no room for the input, or the user none for the metadata.
 */
export async function admitRun(
  parts: RunAdmissionParts,
  repositories: Repositories,
  { threadId, request, answers }: AdmissionRequest,
): Promise<RunRecord> {
  await requireQueueSpace(parts, repositories, { threadId, request });
  const metadataSize = metadataBytes(request.metadata);
  if (metadataSize > 0)
    await parts.admitMetadata((await repositories.threads.get(threadId))?.userId ?? null, metadataSize);
  const now = parts.now();
  // Each may be megabytes long.
  const messages = await inTurns(request.messages, createBreath(), messageContent);
  const questions = messages.filter((_, index) => request.messages[index]?.type === 'human');
  const admitted = await admitAndStart(parts.dispatcher, repositories, {
    runId: parts.newId(),
    threadId,
    assistantId: request.assistantId,
    metadata: request.metadata,
    kwargs: toKwargs(request, { messages, answers }),
    multitaskStrategy: request.multitaskStrategy,
    ...(request.followUpToRunId === undefined ? {} : { followUpToRunId: request.followUpToRunId }),
    ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
    ...(request.delayMs === 0 ? {} : { delayMs: request.delayMs }),
    ...(request.webhook === undefined ? {} : { webhook: request.webhook }),
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
    default:
      return admitted satisfies never;
  }
}

/**
 * With a place that is held for it, a run that may start at once is claimed in the transaction that admits it; others are
 * looked for when it may be their turn.
 */
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

/** Those who wait for the runs that it takes the place of, or execute them, hear of it. */
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

/** Folding reads at least as many bytes as the state has, so this bound usually decides without folding. */
async function requireQueueSpace(
  { states, maxStateBytes }: RunAdmissionParts,
  { threads, checkpoints }: Repositories,
  { threadId, request }: Pick<AdmissionRequest, 'threadId' | 'request'>,
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
    `With this input the state of the thread would be larger than ${maxStateBytes / 1_048_576} MB (runs.max_state_mb). Remove messages from it first, or begin a new thread.`,
  );
}

/** The request with the choices and the agent's version of the run that waits where it begins; as it is when it brings words of its own. */
export async function withContinuedChoices(
  repositories: Repositories,
  threadId: string,
  request: RunRequest,
): Promise<RunRequest> {
  if (request.messages.length > 0) return request;
  const waiting = await waitingRun(repositories, threadId, request.checkpointId);
  if (waiting === undefined) return request;
  const { agent, choices } = choicesOf(waiting);
  const options = { ...request.options, ...choices, ...request.chosen };
  return { ...request, options, ...(agent === undefined ? {} : { agent }) };
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

function choicesOf({ kwargs }: RunRecord): {
  readonly agent: AgentPin | undefined;
  readonly choices: AgentChoices;
} {
  const { agent, options } = fromKwargs(kwargs);
  const { modelName, thinking, planMode, subagents, memory } = options;
  const choices = {
    thinking,
    planMode,
    ...(modelName === undefined ? {} : { modelName }),
    ...(subagents === undefined ? {} : { subagents }),
    ...(memory === undefined ? {} : { memory }),
  };
  return { agent, choices };
}
