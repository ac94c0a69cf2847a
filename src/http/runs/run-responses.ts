// How a run is answered: as a stream, as the run, as its final values. Shared by every run route.
import { notFound, validationFailed } from '../../errors.ts';
import { framePosition } from '../../runs/reading/frame-position.ts';
import { requireInput } from '../../runs/request/require-checkpoint.ts';
import { type RunBody, type RunRequest, toRunRequest } from '../../runs/request/run-request.ts';
import type { StreamMode } from '../../runs/request/stream-modes.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import { isTerminal, type RunQuery, type RunRecord } from '../../storage/runs.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { AppContext } from '../api/context.ts';
import { isThreadId, mayWrite } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { presentRun } from '../presenters/run.ts';
import { liveResponse } from '../streams/live-response.ts';
import { type OpenStreams, whileWelcome } from '../streams/open-streams.ts';
import { HEARTBEAT_MS, SSE_HEADERS, sseBody } from '../streams/sse.ts';
import { liveBody, type OnClose } from '../transport/live-body.ts';
import { textSlices } from '../transport/text-slices.ts';
import { inBatch, requireNothingFollowed, startStateless } from './stateless-runs.ts';

export interface RunRouteDependencies {
  readonly openStreams: OpenStreams;
  readonly runs: RunService;
  readonly threads: ThreadService;
  readonly newId: () => string;
}

interface StreamChoices {
  /** Absent: those that the run was created with. */
  readonly modes?: readonly StreamMode[] | undefined;
  /** Absent: what the run says. */
  readonly cancelOnDisconnect?: boolean | undefined;
}

interface CancelChoices {
  readonly wait: boolean;
  readonly action: 'interrupt' | 'rollback';
}

export interface RunResponses {
  start(c: AppContext, body: RunBody): Promise<RunRecord>;
  startStateless(c: AppContext, body: RunBody): Promise<RunRecord>;
  /** The run of the path; throws `not_found`. */
  run(c: AppContext): Promise<RunRecord>;
  /** The run of a path that names no thread; throws `not_found`. */
  runAnywhere(c: AppContext): Promise<RunRecord>;
  list(c: AppContext, query: RunQuery): Promise<readonly RunRecord[]>;
  created(c: AppContext, run: RunRecord): Promise<Response>;
  /** As the wire shows them, with what became of their webhooks. */
  present(c: AppContext, runs: readonly RunRecord[]): Promise<readonly ReturnType<typeof presentRun>[]>;
  stream(c: AppContext, run: RunRecord, choices?: StreamChoices): Response;
  /**
   * The stream for a reader that may have been here before. An `EventSource` that has seen the `end` is answered 204,
   * which is what stops it; others get what follows, which is nothing.
   */
  resume(c: AppContext, run: RunRecord, choices?: StreamChoices): Promise<Response>;
  wait(c: AppContext, run: RunRecord, choices?: Pick<StreamChoices, 'cancelOnDisconnect'>): Response;
  cancel(c: AppContext, run: RunRecord, how: CancelChoices): Promise<Response>;
  /** Several runs at once, each on its thread or a new one. */
  startBatch(c: AppContext, bodies: readonly RunBody[]): Promise<readonly RunRecord[]>;
  delete(c: AppContext, run: RunRecord): Promise<Response>;
}

export function runResponses(family: RouteFamily, dependencies: RunRouteDependencies): RunResponses {
  const { runs, newId, openStreams } = dependencies;
  const parse = (c: AppContext, body: RunBody): RunRequest =>
    toRunRequest(body, { ...family, idempotencyKey: idempotencyKey(c) }, newId);
  return {
    async start(c, body) {
      const request = parse(c, body);
      const threadId = c.req.param('thread_id') ?? '';
      const repeated = await runs.findRepeated(c.var.repositories, request);
      if (repeated !== undefined) return repeated;
      await ensureThread(c, dependencies, { threadId, request });
      // Only a thread that was made for the run goes with it.
      return runs.start(c.var.repositories, threadId, { ...request, deleteThread: false });
    },
    startStateless: (c, body) => startStateless(dependencies, c, parse(c, body)),
    async startBatch(c, bodies) {
      const requests = bodies.map((body) => parse(c, body)).map(inBatch);
      const started: RunRecord[] = [];
      for (const request of requests) started.push(await startStateless(dependencies, c, request));
      return started;
    },
    run: (c) => runs.get(c.var.repositories, c.var.thread.threadId, c.req.param('run_id') ?? ''),
    runAnywhere: (c) => runs.find(c.var.repositories, c.req.param('run_id') ?? ''),
    list: (c, query) => runs.list(c.var.repositories, c.var.thread.threadId, query),
    async created(c, run) {
      const forget = forgetting(c, dependencies, run);
      if (forget !== undefined) runs.whenEnded(c.var.repositories, run, forget);
      const [created] = await present(c, [run]);
      return c.json(created, 200, locations(run));
    },
    present,
    stream: (c, run, choices = {}) =>
      streamResponse(c, { runs, run, openStreams, forget: forgetting(c, dependencies, run), ...choices }),
    resume: async (c, run, choices = {}) =>
      (await isDone(c, runs, run))
        ? c.body(null, 204)
        : streamResponse(c, { runs, run, openStreams, forget: forgetting(c, dependencies, run), ...choices }),
    wait: (c, run, choices = {}) =>
      waitResponse(c, { runs, run, openStreams, forget: forgetting(c, dependencies, run), ...choices }),
    async cancel(c, run, { wait, action }) {
      const { repositories } = c.var;
      if (!wait) {
        await runs.cancel(repositories, run, { action });
        return c.body(null, 202);
      }
      await whileWelcome(c, openStreams, (waitForEnd) =>
        runs.cancel(repositories, run, { action, waitForEnd }),
      );
      return c.body(null, 204);
    },
    async delete(c, run) {
      await runs.delete(c.var.repositories, run);
      return c.body(null, 204);
    },
  };
}

async function present(c: AppContext, runs: readonly RunRecord[]) {
  const called = runs.filter(({ kwargs }) => kwargs.webhook !== undefined).map(({ runId }) => runId);
  const reports = await c.var.repositories.webhooks.of(called);
  return runs.map((run) => presentRun(run, reports.get(run.runId)));
}

const MAX_KEY_CHARACTERS = 255;

function idempotencyKey(c: AppContext): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined || (key.length > 0 && key.length <= MAX_KEY_CHARACTERS)) return key;
  throw validationFailed(['header', 'idempotency-key'], `1 to ${MAX_KEY_CHARACTERS} characters`);
}

/** 422 for a thread id of the wrong form, 404 for one that is not there and is not to be created. */
async function ensureThread(
  c: AppContext,
  { threads }: RunRouteDependencies,
  { threadId, request }: { readonly threadId: string; readonly request: RunRequest },
): Promise<void> {
  if (!isThreadId(threadId)) {
    const msg = 'A thread id has 1 to 64 letters, digits, "_" and "-".';
    throw validationFailed(['path', 'thread_id'], msg, 'string_pattern_mismatch');
  }
  const { repositories } = c.var;
  const thread = await repositories.threads.get(threadId);
  if (thread === undefined && request.createThread) {
    requireNothingFollowed(request);
    await threads.create(repositories, { userId: c.var.user.id, threadId });
  } else if (thread === undefined || thread.userId === null) throw notFound('Thread');
  else if (thread.headCheckpointId === null) requireInput(request);
}

/** Neither has an API prefix: the SDK puts its own base before `Location`. */
function locations({ threadId, runId }: RunRecord): Record<string, string> {
  const path = `/threads/${threadId}/runs/${runId}`;
  return { 'Content-Location': path, Location: `${path}/stream` };
}

interface RunReading extends StreamChoices {
  readonly runs: RunService;
  readonly run: RunRecord;
  readonly openStreams: OpenStreams;
  /** Removes the thread that the run was given for itself; absent for a thread that stays. */
  readonly forget: (() => Promise<void>) | undefined;
}

/** A stateless run with `on_completion: delete` takes its thread with it when its reader has seen the end. */
function forgetting(
  c: AppContext,
  { threads }: RunRouteDependencies,
  run: RunRecord,
): (() => Promise<void>) | undefined {
  if (run.kwargs.delete_thread !== true || !mayWrite(c)) return undefined;
  // The webhook tells of the run: its thread goes later, like one whose reader never came.
  if (run.kwargs.webhook !== undefined) return undefined;
  const { repositories } = c.var;
  return async () => {
    const thread = await repositories.threads.get(run.threadId);
    if (thread !== undefined) await threads.delete(repositories, thread, { activeRuns: 'cancel' });
  };
}

/** Not for the SDK, which wants a body of every stream: it does not say that it accepts event streams. */
async function isDone(c: AppContext, runs: RunService, run: RunRecord): Promise<boolean> {
  const seen = c.req.header('last-event-id');
  if (seen === undefined || !isTerminal(run.status) || !acceptsEventStream(c)) return false;
  const rest = runs.frames({
    repositories: c.var.repositories,
    run,
    after: framePosition(seen),
    signal: c.req.raw.signal,
  });
  const first = await rest.next();
  await rest.return();
  return first.done === true;
}

/** Whether the client names event streams: what an `EventSource` does, and the SDK does not. */
export function acceptsEventStream(c: AppContext): boolean {
  return (c.req.header('accept') ?? '').includes('text/event-stream');
}

function streamResponse(c: AppContext, reading: RunReading): Response {
  const { runs, run, modes } = reading;
  const closed = new AbortController();
  const frames = runs.frames({
    repositories: c.var.repositories,
    run,
    // Of a run that this request creates nothing can have been seen.
    after: framePosition(c.req.method === 'GET' ? c.req.header('last-event-id') : undefined),
    signal: closed.signal,
    ...(modes === undefined ? {} : { modes }),
  });
  const body = sseBody(frames, { onClose: leave(c, reading, closed) });
  return liveResponse(c, body, { ...SSE_HEADERS, ...locations(run) });
}

/** White space keeps the connection alive until the JSON comes; a broken wait is cut off, never ended well. */
function waitResponse(c: AppContext, reading: RunReading): Response {
  const { runs, run } = reading;
  const { repositories } = c.var;
  const closed = new AbortController();
  async function* values(): AsyncGenerator<Iterable<string>, void, void> {
    yield await runs.wait(repositories, run, closed.signal);
  }
  const onClose = leave(c, reading, closed);
  const body = liveBody(values(), textSlices, { heartbeat: '\n', heartbeatMs: HEARTBEAT_MS, onClose });
  return liveResponse(c, body, {
    'Content-Type': 'application/json',
    'X-Accel-Buffering': 'no',
    ...locations(run),
  });
}

/**
 * What happens when the reader is gone: its reading ends, and its run too if that was wanted. A reader may stay for
 * long, so neither the request nor what the run was asked is kept.
 */
function leave(
  c: AppContext,
  { runs, run: asked, openStreams, forget, cancelOnDisconnect }: RunReading,
  closed: AbortController,
): OnClose {
  const { repositories } = c.var;
  // Who may only read ends nothing by leaving.
  const isCancelled = mayWrite(c) && (cancelOnDisconnect ?? asked.kwargs.on_disconnect === 'cancel');
  const { runId } = asked;
  const run = isCancelled || forget !== undefined ? { ...asked, kwargs: {}, metadata: {} } : undefined;
  const letGo = openStreams.open({
    userId: c.var.user.id,
    credential: c.var.credential,
    close: () => closed.abort(),
  });
  return (reason, error) => {
    if (reason === 'broken' && !closed.signal.aborted) runs.reportBrokenStream(runId, error);
    letGo();
    // A read that has ended needs no notification, and every abort creates an error.
    if (reason !== 'ended') closed.abort();
    if (run === undefined) return;
    if (reason === 'left' && isCancelled) runs.cancelDetached(repositories, run);
    if (forget !== undefined) runs.whenEnded(repositories, run, forget);
  };
}
