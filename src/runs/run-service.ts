// What clients do with runs: start, read, cancel, list. Executing them is the dispatcher's part.
import { conflict, notFound, unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { EMPTY_STATE, serializedValues } from '../messages/thread-state.ts';
import type { RunQuery, RunRecord } from '../storage/runs.ts';
import { isTerminal } from '../storage/runs.ts';
import type { Repositories } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import { humanMessageEvent } from './journal.ts';
import type { RunDispatcher } from './run-dispatcher.ts';
import { errorName } from './run-ending.ts';
import { FROM_THE_START, type FramePosition, type NumberedFrame, type RunFrames } from './run-frames.ts';
import type { RunRequest } from './run-request.ts';
import type { RunStream } from './run-stream.ts';
import { fromKwargs, toKwargs } from './stored-request.ts';
import type { StreamMode } from './stream-modes.ts';

export interface RunService {
  /** Accepts a run: it is durable and will be executed. `conflict` when the thread is busy and the strategy rejects. */
  start(repositories: Repositories, threadId: string, request: RunRequest): Promise<RunRecord>;
  /** Throws `not_found` for a run that is not the owner's or not this thread's. */
  get(repositories: Repositories, threadId: string, runId: string): Promise<RunRecord>;
  list(repositories: Repositories, threadId: string, query: RunQuery): Promise<readonly RunRecord[]>;
  /** Frames after a position, live until `end`. Without `modes`: those that the run was created with. */
  frames(reader: FrameReader): AsyncGenerator<readonly NumberedFrame[], void, void>;
  /** Waits for the end: JSON text of the final values, or `{"__error__": ...}` of a failed run. */
  wait(repositories: Repositories, run: RunRecord, signal: AbortSignal): Promise<string>;
  /** Idempotent; `waitForEnd` resolves only when the run has ended. */
  cancel(repositories: Repositories, run: RunRecord, waitForEnd: AbortSignal | undefined): Promise<void>;
  /** `cancel` for a reader that left: nobody waits for it, a failure is logged. */
  cancelDetached(repositories: Repositories, run: RunRecord): void;
  /** Cancels the pending and running runs of a thread and resolves when none is left. */
  cancelAll(repositories: Repositories, threadId: string): Promise<void>;
  /** From now on `start` answers `unavailable`. */
  close(): void;
}

interface FrameReader {
  readonly repositories: Repositories;
  readonly run: RunRecord;
  readonly modes?: readonly StreamMode[];
  readonly after?: FramePosition;
  readonly signal: AbortSignal;
}

interface RunServiceParts {
  readonly dispatcher: RunDispatcher;
  readonly stream: RunStream;
  readonly frames: RunFrames;
  readonly states: ThreadStates;
  readonly assistants: { has(assistantId: string): boolean };
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

export function createRunService(parts: RunServiceParts): RunService {
  let closed = false;
  const get: RunService['get'] = async (repositories, threadId, runId) => {
    const run = await repositories.runs.get(runId);
    if (run === undefined || run.threadId !== threadId) throw notFound('Run');
    return run;
  };
  return {
    get,
    async start(repositories, threadId, request) {
      if (closed) throw unavailable('The service is stopping and takes no new runs. Try again in a moment.');
      if (!parts.assistants.has(request.assistantId)) throw notFound('Assistant');
      const run = await admit(parts, repositories, { threadId, request });
      parts.dispatcher.wake(run.runId);
      return run;
    },
    list: (repositories, threadId, query) => repositories.runs.list(threadId, query),
    frames({ repositories, run, modes, after = FROM_THE_START, signal }) {
      return parts.frames.read({ run, repositories, signal }, modes ?? fromKwargs(run.kwargs).modes, after);
    },
    async wait(repositories, run, signal) {
      const checkpointId = await untilEnd(parts.stream, { repositories, run, signal });
      return outcome(parts.states, repositories, {
        run: await get(repositories, run.threadId, run.runId),
        checkpointId: checkpointId ?? run.baseCheckpointId,
      });
    },
    async cancel(repositories, run, waitForEnd) {
      await abortRun(parts, repositories, run);
      if (waitForEnd !== undefined) await untilEnd(parts.stream, { repositories, run, signal: waitForEnd });
    },
    cancelDetached(repositories, run) {
      abortRun(parts, repositories, run).catch((error: unknown) => {
        parts.log.warn(
          { err: error, runId: run.runId },
          'a run could not be cancelled after its reader left',
        );
      });
    },
    async cancelAll(repositories, threadId) {
      for (const status of ['pending', 'running'] as const) {
        for (const run of await repositories.runs.list(threadId, { status, limit: ALL, offset: 0 })) {
          await abortRun(parts, repositories, run);
          await untilEnd(parts.stream, { repositories, run, signal: NEVER });
        }
      }
    },
    close() {
      closed = true;
    },
  };
}

const ALL = 10_000;
const NEVER = new AbortController().signal;

interface Admission {
  readonly threadId: string;
  readonly request: RunRequest;
}

async function admit(
  parts: RunServiceParts,
  repositories: Repositories,
  { threadId, request }: Admission,
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
    events: questions.map((message) => humanMessageEvent(message, now)),
    now,
  });
  switch (admitted.kind) {
    case 'admitted':
      for (const { runId } of admitted.displaced) parts.dispatcher.cancel(runId);
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

/** Ends the run while it still waits, or has it aborted where it is executed. */
async function abortRun(
  { dispatcher, now }: RunServiceParts,
  { runs }: Repositories,
  { runId }: RunRecord,
): Promise<void> {
  const request = { action: 'interrupt', stopReason: 'interrupted_by_user', now: now() } as const;
  const outcome = await runs.cancel(runId, request);
  if (outcome !== 'requested' || dispatcher.cancel(runId)) return;
  const current = await runs.get(runId);
  if (current !== undefined && !isTerminal(current.status)) {
    throw unavailable('The run is being taken up by another process. Try again in a moment.');
  }
}

/** Reads the run to its end; the id of its last checkpoint. Throws the signal's reason when that comes first. */
async function untilEnd(
  stream: RunStream,
  reader: Omit<FrameReader, 'modes' | 'after'>,
): Promise<string | undefined> {
  let checkpointId: string | undefined;
  for await (const batch of stream.read({ ...reader, after: 0 })) {
    for (const { event } of batch) {
      if (event.type === 'state') checkpointId = event.checkpointId;
      if (event.type === 'end') return checkpointId;
    }
  }
  reader.signal.throwIfAborted();
  return checkpointId;
}

interface EndedRun {
  readonly run: RunRecord;
  readonly checkpointId: string | null;
}

async function outcome(
  states: ThreadStates,
  { checkpoints }: Repositories,
  { run, checkpointId }: EndedRun,
): Promise<string> {
  if (run.status === 'error' || run.status === 'timeout') {
    const message = run.error ?? 'The run failed.';
    return JSON.stringify({ __error__: { error: errorName(run.stopReason), message } });
  }
  const folded = checkpointId === null ? undefined : await states.at(checkpoints, run.threadId, checkpointId);
  return serializedValues(folded?.state ?? EMPTY_STATE);
}
