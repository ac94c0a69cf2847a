// Responses about a run, shared by all run routes: a stream, the run itself, or its final values.
import { notFound, validationFailed } from '../../errors.ts';
import { framePosition } from '../../runs/reading/frame-position.ts';
import { requireInput } from '../../runs/request/require-checkpoint.ts';
import { type RunBody, toRunRequest } from '../../runs/request/run-body.ts';
import {
  endsWithReader,
  hasWebhook,
  type RunRequest,
  takesThreadAlong,
} from '../../runs/request/run-request.ts';
import type { StreamMode } from '../../runs/request/stream-modes.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import { isTerminal, type RunQuery, type RunRecord } from '../../storage/runs.ts';
import { textSlices } from '../../text-slices.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { AppContext } from '../api/context.ts';
import { mayWrite, pathParam, requireThreadId } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { presentRun } from '../presenters/run.ts';
import { liveResponse } from '../streams/live-response.ts';
import { type OpenStreams, whileWelcome } from '../streams/open-streams.ts';
import { HEARTBEAT_MS, SSE_HEADERS, sseBody } from '../streams/sse.ts';
import { liveBody, type OnClose } from '../transport/live-body.ts';
import { inBatch, requireNothingFollowed, startStateless } from './stateless-runs.ts';

export interface RunRouteDependencies {
  readonly openStreams: OpenStreams;
  readonly runs: RunService;
  readonly threads: ThreadService;
  readonly newId: () => string;
}

interface StreamChoices {
  /** If absent, the modes with which the run was created. */
  readonly modes?: readonly StreamMode[] | undefined;
  /** If absent, the setting of the run. */
  readonly cancelOnDisconnect?: boolean | undefined;
}

export function runResponses(family: RouteFamily, dependencies: RunRouteDependencies) {
  const { runs, newId, openStreams } = dependencies;
  const parse = (c: AppContext, body: RunBody): RunRequest =>
    toRunRequest(body, { ...family, idempotencyKey: idempotencyKey(c) }, newId);
  const reading = (c: AppContext, run: RunRecord, choices: StreamChoices = {}): RunReading => ({
    runs,
    run,
    openStreams,
    forget: forgetting(c, dependencies, run),
    ...choices,
  });
  return {
    async start(c: AppContext, body: RunBody): Promise<RunRecord> {
      const request = parse(c, body);
      const repeated = await runs.findRepeated(c.var.repositories, request);
      if (repeated !== undefined) return repeated;
      const threadId = await ensureThread(c, dependencies, request);
      // A run may delete only a thread that was created for it.
      return runs.start(c.var.repositories, threadId, { ...request, deleteThread: false });
    },
    startStateless: (c: AppContext, body: RunBody): Promise<RunRecord> =>
      startStateless(dependencies, c, parse(c, body)),
    /** Starts several runs, each on a new thread. */
    async startBatch(c: AppContext, bodies: readonly RunBody[]): Promise<readonly RunRecord[]> {
      const requests = bodies.map((body) => parse(c, body)).map(inBatch);
      const started: RunRecord[] = [];
      for (const request of requests) started.push(await startStateless(dependencies, c, request));
      return started;
    },
    /** Returns the run of the path. Throws `not_found`. */
    run: (c: AppContext) => runs.get(c.var.repositories, c.var.thread.threadId, pathParam(c, 'run_id')),
    /** Returns the run of a path without a thread. Throws `not_found`. */
    runAnywhere: (c: AppContext) => runs.find(c.var.repositories, pathParam(c, 'run_id')),
    list: (c: AppContext, query: RunQuery) => runs.list(c.var.repositories, c.var.thread.threadId, query),
    async created(c: AppContext, run: RunRecord): Promise<Response> {
      const forget = forgetting(c, dependencies, run);
      if (forget !== undefined) runs.whenEnded(c.var.repositories, run, forget);
      const [created] = await present(c, [run]);
      return c.json(created, 200, locations(run));
    },
    present,
    stream: (c: AppContext, run: RunRecord) => streamResponse(c, reading(c, run)),
    /**
     * Returns the stream for a reader that may have read before. An `EventSource` that has seen the `end` gets
     * a 204, which stops it. Other readers that have seen it get an empty stream.
     */
    resume: async (c: AppContext, run: RunRecord, choices: StreamChoices): Promise<Response> =>
      (await isDone(c, runs, run)) ? c.body(null, 204) : streamResponse(c, reading(c, run, choices)),
    wait: (c: AppContext, run: RunRecord, choices?: Pick<StreamChoices, 'cancelOnDisconnect'>) =>
      waitResponse(c, reading(c, run, choices)),
    async cancel(
      c: AppContext,
      run: RunRecord,
      { wait, action }: { readonly wait: boolean; readonly action: 'interrupt' | 'rollback' },
    ): Promise<Response> {
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
    delete: (c: AppContext, run: RunRecord) => runs.delete(c.var.repositories, run),
  };
}

export type RunResponses = ReturnType<typeof runResponses>;

/** Returns the runs in their wire format, with the outcome of their webhooks. */
async function present(c: AppContext, runs: readonly RunRecord[]) {
  const called = runs.filter(hasWebhook).map(({ runId }) => runId);
  const reports = await c.var.repositories.webhooks.of(called);
  return runs.map((run) => presentRun(run, reports.get(run.runId)));
}

const MAX_KEY_CHARACTERS = 255;

function idempotencyKey(c: AppContext): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined || (key.length > 0 && key.length <= MAX_KEY_CHARACTERS)) return key;
  throw validationFailed(['header', 'idempotency-key'], `1 to ${MAX_KEY_CHARACTERS} characters`);
}

/**
 * Returns the id of the thread of the path, which then exists. Throws 422 for a malformed id, 404 for a thread
 * that is missing and not to be created.
 */
async function ensureThread(
  c: AppContext,
  { threads }: RunRouteDependencies,
  request: RunRequest,
): Promise<string> {
  const threadId = requireThreadId(c);
  const { repositories } = c.var;
  const thread = await repositories.threads.get(threadId);
  if (thread === undefined && request.createThread) {
    requireNothingFollowed(request);
    await threads.create(repositories, { userId: c.var.user.id, threadId });
  } else if (thread === undefined || thread.userId === null) throw notFound('Thread');
  else if (thread.headCheckpointId === null) requireInput(request);
  return threadId;
}

/** Returns headers without an API prefix, because the SDK prepends its own base to `Location`. */
function locations({ threadId, runId }: RunRecord): Record<string, string> {
  const path = `/threads/${threadId}/runs/${runId}`;
  return { 'Content-Location': path, Location: `${path}/stream` };
}

interface RunReading extends StreamChoices {
  readonly runs: RunService;
  readonly run: RunRecord;
  readonly openStreams: OpenStreams;
  /** Removes the thread that was created for the run. `undefined` for a thread that stays. */
  readonly forget: (() => Promise<void>) | undefined;
}

/**
 * Returns what deletes the thread of a stateless run with `on_completion: delete` after its reader has seen
 * the end.
 */
function forgetting(
  c: AppContext,
  { threads }: RunRouteDependencies,
  run: RunRecord,
): (() => Promise<void>) | undefined {
  if (!takesThreadAlong(run) || !mayWrite(c)) return undefined;
  // The webhook still needs the run. Its thread is deleted later, like one without a reader.
  if (hasWebhook(run)) return undefined;
  const { repositories } = c.var;
  return async () => {
    const thread = await repositories.threads.get(run.threadId);
    if (thread !== undefined) await threads.delete(repositories, thread, { activeRuns: 'cancel' });
  };
}

/**
 * Whether the reader has already seen the end. False for the SDK, which expects a body from every stream and
 * does not accept event streams explicitly.
 */
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

/** Whether the client accepts event streams explicitly, as an `EventSource` does and the SDK does not. */
export function acceptsEventStream(c: AppContext): boolean {
  return (c.req.header('accept') ?? '').includes('text/event-stream');
}

function streamResponse(c: AppContext, reading: RunReading): Response {
  const { runs, run, modes } = reading;
  const closed = new AbortController();
  const frames = runs.frames({
    repositories: c.var.repositories,
    run,
    // A request that creates its run cannot have seen any of its frames.
    after: framePosition(c.req.method === 'GET' ? c.req.header('last-event-id') : undefined),
    signal: closed.signal,
    modes,
  });
  const body = sseBody(frames, leave(c, reading, closed));
  return liveResponse(c, body, { ...SSE_HEADERS, ...locations(run) });
}

/**
 * Responds with the final values. White space keeps the connection alive until the JSON arrives. A broken
 * wait is cut off, never ended cleanly.
 */
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
 * Returns the function to call when the reader is gone. It ends the reading, and also the run if the client
 * asked for that. A reader may stay for a long time, so neither the request nor the run's input is retained.
 */
function leave(
  c: AppContext,
  { runs, run: asked, openStreams, forget, cancelOnDisconnect }: RunReading,
  closed: AbortController,
): OnClose {
  const { repositories } = c.var;
  // A read-only client cancels nothing by disconnecting.
  const isCancelled = mayWrite(c) && (cancelOnDisconnect ?? endsWithReader(asked));
  const { runId } = asked;
  const run = isCancelled || forget !== undefined ? { ...asked, kwargs: {}, metadata: {} } : undefined;
  const letGo = openStreams.open(c.var, () => closed.abort());
  return (reason, error) => {
    if (reason === 'broken' && !closed.signal.aborted) runs.reportBrokenStream(runId, error);
    letGo();
    // A finished read needs no notification, and every abort creates an error.
    if (reason !== 'ended') closed.abort();
    if (run === undefined) return;
    if (reason === 'left' && isCancelled) runs.cancelDetached(repositories, run);
    if (forget !== undefined) runs.whenEnded(repositories, run, forget);
  };
}
