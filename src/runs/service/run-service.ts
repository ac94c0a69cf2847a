// What clients do with runs: start, read, cancel, list. The dispatcher executes them.
import { conflict, notFound, unavailable } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { RunCancel, RunQuery, RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { type Assistants, requireAssistant, withAssistant } from '../admission/assistants.ts';
import { admitRun, type RunAdmissionParts, withContinuedChoices } from '../admission/run-admission.ts';
import type { LoggedEvent } from '../log/log-event.ts';
import { FROM_THE_START, type FramePosition } from '../reading/frame-position.ts';
import { type NumberedFrame, readFrames } from '../reading/run-frames.ts';
import { runOutcome, untilEnd } from '../reading/run-outcome.ts';
import type { RunStream } from '../reading/run-stream.ts';
import { requireCheckpoint } from '../request/require-checkpoint.ts';
import { fromKwargs, type RunRequest } from '../request/run-request.ts';
import type { StreamMode } from '../request/stream-modes.ts';

export interface RunService {
  /**
   * Admits a run: it is durable and will be executed. A request repeated with its idempotency key gets the
   * same run again, whatever has become of the thread since. Throws `conflict` when the thread is busy and
   * the strategy rejects, `validation_failed` for a webhook that may not be called, and `not_found` when it
   * follows a run of another thread.
   */
  start(repositories: Repositories, threadId: string, request: RunRequest): Promise<RunRecord>;
  /** Finds the run that the request's idempotency key already stands for. */
  findRepeated(repositories: Repositories, request: RunRequest): Promise<RunRecord | undefined>;
  /** Throws `not_found` for a run of another owner or thread. */
  get(repositories: Repositories, threadId: string, runId: string): Promise<RunRecord>;
  /** Returns the run, on whichever thread it is. Throws `not_found` for a run of another owner. */
  find(repositories: Repositories, runId: string): Promise<RunRecord>;
  list(repositories: Repositories, threadId: string, query: RunQuery): Promise<readonly RunRecord[]>;
  /** Yields frames after a position, live until `end`. By default, in the modes of the run's request. */
  frames(reader: FrameReader): AsyncGenerator<readonly NumberedFrame[], void, void>;
  /** Yields the events of the run from its start, live until `end`. Ends quietly when the signal aborts. */
  events(reader: Omit<FrameReader, 'modes' | 'after'>): AsyncGenerator<readonly LoggedEvent[], void, void>;
  /** Waits for the end. Returns JSON text in pieces: the final values, or `{"__error__": ...}` on failure. */
  wait(repositories: Repositories, run: RunRecord, signal: AbortSignal): Promise<Iterable<string>>;
  /** Cancels the run; idempotent. With `waitForEnd`, resolves only once the run has ended. */
  cancel(repositories: Repositories, run: RunRecord, how: CancelRequest): Promise<void>;
  /** Removes an ended run with its record and stream. Throws `conflict` while it is active. */
  delete(repositories: Repositories, run: RunRecord): Promise<void>;
  /** Cancels the run after its reader left. No caller waits for it, and a failure is logged. */
  cancelDetached(repositories: Repositories, run: RunRecord): void;
  /** Logs the cause of a broken stream for the operator. The client reconnects by itself. */
  reportBrokenStream(runId: string, error: unknown): void;
  /** Does the work when the run has ended. No caller waits for it, and a failure is logged. */
  whenEnded(repositories: Repositories, run: RunRecord, work: () => Promise<void>): void;
  /** Cancels the pending and running runs of a thread. Resolves when none remains. */
  cancelAll(repositories: Repositories, threadId: string): Promise<void>;
  /** Makes `start` throw `unavailable` from now on. */
  close(): void;
}

interface CancelRequest {
  /** `rollback` also restores the state from before the run. */
  readonly action: RunCancel['action'];
  readonly waitForEnd?: AbortSignal;
}

interface FrameReader {
  readonly repositories: Repositories;
  readonly run: RunRecord;
  readonly modes?: readonly StreamMode[] | undefined;
  readonly after?: FramePosition;
  readonly signal: AbortSignal;
}

interface RunServiceParts extends RunAdmissionParts {
  /** Called when the run is on disk, and again for a repeated request. */
  readonly onAccepted: (run: RunRecord) => void;
  readonly stream: RunStream;
  /** Throws `validation_failed` for an address that may not be called. */
  readonly checkWebhook: (address: string) => void;
  readonly assistants: Assistants;
  readonly log: Log;
}

export function createRunService(parts: RunServiceParts): RunService {
  let closed = false;
  return {
    find,
    get,
    async start(repositories, threadId, request) {
      if (closed)
        throw unavailable('The service is stopping and accepts no new runs. Try again in a moment.');
      const run = await begin(parts, repositories.ahead, { threadId, request })
        // The run may execute already. The client gets it, or the error, only once that is durable.
        .finally(() => repositories.onDisk());
      parts.onAccepted(run);
      return run;
    },
    findRepeated: (repositories, request) => findRepeated(parts, repositories, request),
    list: ({ runs }, threadId, query) => runs.list(threadId, query),
    frames({ repositories, run, modes, after = FROM_THE_START, signal }) {
      const asked = fromKwargs(run.kwargs);
      const wanted = { modes: modes ?? asked.modes, subgraphs: asked.subgraphs };
      return readFrames(parts, { run, repositories, signal }, { wanted, position: after });
    },
    events: ({ repositories, run, signal }) => parts.stream.read({ repositories, run, signal, after: 0 }),
    async wait(repositories, run, signal) {
      await untilEnd(parts.stream, { repositories, run, signal });
      const ended = await get(repositories, run.threadId, run.runId);
      return runOutcome(parts.states, repositories, ended);
    },
    async cancel(repositories, run, { action, waitForEnd }) {
      const isOver = await abortRun(parts, repositories, { run, cancel: CANCELS[action] });
      if (waitForEnd === undefined || isOver) return;
      await untilEnd(parts.stream, { repositories, run, signal: waitForEnd });
    },
    async delete(repositories, { runId }) {
      const outcome = await repositories.runs.delete(runId);
      if (outcome === 'absent') throw notFound('Run');
      if (outcome === 'active') throw conflict('The run is active. Cancel it first.');
    },
    cancelDetached(repositories, run) {
      abortRun(parts, repositories, { run, cancel: CANCELS.interrupt }).catch((error: unknown) => {
        parts.log.warn(
          { err: error, runId: run.runId },
          'a run could not be cancelled after its client disconnected',
        );
      });
    },
    reportBrokenStream(runId, error) {
      parts.log.warn({ err: error, runId }, 'a stream broke off');
    },
    whenEnded(repositories, run, work) {
      untilEnd(parts.stream, { repositories, run, signal: NEVER })
        .then(work)
        .catch((error: unknown) => {
          parts.log.warn({ err: error, runId: run.runId }, 'follow-up work for a run failed');
        });
    },
    async cancelAll(repositories, threadId) {
      for (const status of ['pending', 'running'] as const) {
        for (const run of await repositories.runs.list(threadId, { status, limit: ALL, offset: 0 })) {
          const isOver = await abortRun(parts, repositories, { run, cancel: CANCELS.interrupt });
          if (!isOver) await untilEnd(parts.stream, { repositories, run, signal: NEVER });
        }
      }
    },
    close() {
      closed = true;
    },
  };
}

async function begin(
  parts: RunServiceParts,
  repositories: Repositories,
  { threadId, request }: { readonly threadId: string; readonly request: RunRequest },
): Promise<RunRecord> {
  const repeated = await findRepeated(parts, repositories, request);
  if (repeated !== undefined) return repeated;
  const assistant = await requireAssistant(parts.assistants, repositories, request);
  if (request.webhook !== undefined) parts.checkWebhook(request.webhook);
  const answers = await requireCheckpoint(repositories, threadId, request);
  const { followUpToRunId } = request;
  if (followUpToRunId !== undefined) await get(repositories, threadId, followUpToRunId);
  const continued = await withContinuedChoices(repositories, threadId, request);
  return admitRun(parts, repositories, {
    threadId,
    request: { ...withAssistant(continued, assistant), answers },
  });
}

async function findRepeated(
  { now }: RunServiceParts,
  { runs }: Repositories,
  { idempotencyKey: key }: RunRequest,
): Promise<RunRecord | undefined> {
  return key === undefined ? undefined : runs.findByIdempotencyKey(key, now());
}

async function find({ runs }: Repositories, runId: string): Promise<RunRecord> {
  const run = await runs.get(runId);
  if (run === undefined) throw notFound('Run');
  return run;
}

async function get(repositories: Repositories, threadId: string, runId: string): Promise<RunRecord> {
  const run = await find(repositories, runId);
  if (run.threadId !== threadId) throw notFound('Run');
  return run;
}

const CANCELS = {
  interrupt: { action: 'interrupt', stopReason: 'interrupted_by_user' },
  rollback: { action: 'rollback', stopReason: 'rolled_back' },
} as const satisfies Record<RunCancel['action'], RunCancel>;
const ALL = 10_000;
const NEVER = new AbortController().signal;

/** Ends a waiting run, or durably requests the abort of a running one. Returns `true` once it has ended. */
async function abortRun(
  { dispatcher, onEnded, now }: RunServiceParts,
  { runs }: Repositories,
  { run: { runId }, cancel }: { readonly run: RunRecord; readonly cancel: RunCancel },
): Promise<boolean> {
  const outcome = await runs.cancel(runId, { ...cancel, now: now() });
  if (outcome === 'ended') onEnded([runId]);
  if (outcome !== 'requested') return true;
  await dispatcher.cancel(runId, cancel.stopReason);
  return false;
}
