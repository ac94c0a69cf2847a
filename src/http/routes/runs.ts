// Runs of a thread, under both prefixes (docs/contract/runs.md#creating).
import { z } from 'zod';
import { validationFailed } from '../../errors.ts';
import { type RunBody, runBodySchema as runRequestSchema } from '../../runs/request/run-body.ts';
import { STREAM_MODES } from '../../runs/request/stream-modes.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { AppContext } from '../api/context.ts';
import { queryBoolean, queryNames } from '../api/query-list.ts';
import { requireWrite } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { runBodySchema } from '../presenters/run.ts';
import { finalValuesSchema } from '../presenters/state.ts';
import {
  acceptsEventStream,
  type RunResponses,
  type RunRouteDependencies,
  runResponses,
} from '../runs/run-responses.ts';
import { mountRunList } from './run-list.ts';

const FRAMES = z.string().meta({
  examples: [
    'event: metadata\ndata: {"run_id":"01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51","thread_id":"01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20","attempt":1}\nid: 1-0-3f9a2c41\n\nevent: end\ndata: {}\nid: 9-0-3f9a2c41\n\n',
  ],
});
const streamResponse = {
  description: 'The frames of the run',
  contentType: 'text/event-stream',
  schema: FRAMES,
};
const runResponse = { description: 'The run', schema: runBodySchema };
const startedResponse = {
  description: 'The run, or its frames: without `assistant_id`, and with `Accept: text/event-stream`',
  schema: runBodySchema,
  orStream: FRAMES,
} as const;
const valuesResponse = {
  description: 'The final values of the state, or `__error__`',
  schema: finalValuesSchema,
};

export function runRoutes(routes: RouteTable, family: RouteFamily, dependencies: RunRouteDependencies): void {
  const responses = runResponses(family, dependencies);
  mountCreation(routes, family, responses);
  mountRunList(routes, family, responses);
  mountMember(routes, family, responses);
  mountJoining(routes, family, responses);
}

const MAX_BATCH = 50;

/**
 * Shared parts of the routes that create runs. A run may create its thread, so the thread is looked up later.
 */
const creation = {
  body: { kind: 'json', schema: runRequestSchema, optional: true },
  headers: ['Idempotency-Key'],
  errors: ['not_found', 'conflict', 'too_many_waiting', 'insufficient_storage'],
} as const;

function mountCreation(routes: RouteTable, { prefix }: RouteFamily, responses: RunResponses): void {
  // The SDK always names an assistant and expects the run. Other clients expect a stream.
  const answer = (c: AppContext, body: RunBody, run: RunRecord) =>
    body.assistant_id === undefined || acceptsEventStream(c)
      ? responses.stream(c, run)
      : responses.created(c, run);
  routes.post(`${prefix}/threads/{thread_id}/runs`, {
    ...creation,
    operationId: 'createRun',
    summary:
      'Create a run: returns a stream of its frames, or the run as JSON while it continues in the background',
    responses: { 200: startedResponse },
    handle: async (c, { body }) => answer(c, body, await responses.start(c, body)),
  });
  routes.post(`${prefix}/threads/{thread_id}/runs/stream`, {
    ...creation,
    operationId: 'streamRun',
    summary: 'Create a run and stream its frames',
    responses: { 200: streamResponse },
    handle: async (c, { body }) => responses.stream(c, await responses.start(c, body)),
  });
  routes.post(`${prefix}/threads/{thread_id}/runs/wait`, {
    ...creation,
    operationId: 'waitForRun',
    summary: 'Create a run and wait for its final values',
    responses: { 200: valuesResponse },
    handle: async (c, { body }) => responses.wait(c, await responses.start(c, body)),
  });
  routes.post(`${prefix}/runs`, {
    ...creation,
    operationId: 'createStatelessRun',
    summary: 'Create a run on a new thread',
    responses: { 200: startedResponse },
    handle: async (c, { body }) => answer(c, body, await responses.startStateless(c, body)),
  });
  routes.post(`${prefix}/runs/batch`, {
    ...creation,
    operationId: 'createRunBatch',
    summary: 'Create several runs, each on a new thread',
    body: { kind: 'json', schema: z.array(runRequestSchema).min(1).max(MAX_BATCH) },
    responses: ok('The runs', z.array(runBodySchema)),
    handle: async (c, { body }) => c.json(await responses.present(c, await responses.startBatch(c, body))),
  });
  routes.post(`${prefix}/runs/stream`, {
    ...creation,
    operationId: 'streamStatelessRun',
    summary: 'Create a run on a new thread and stream its frames',
    responses: { 200: streamResponse },
    handle: async (c, { body }) => responses.stream(c, await responses.startStateless(c, body)),
  });
  routes.post(`${prefix}/runs/wait`, {
    ...creation,
    operationId: 'waitForStatelessRun',
    summary: 'Create a run on a new thread and wait for its final values',
    responses: { 200: valuesResponse },
    handle: async (c, { body }) => responses.wait(c, await responses.startStateless(c, body)),
  });
}

const cancelOnDisconnect = queryBoolean()
  .optional()
  .describe('Whether to cancel the run when this client disconnects. Default: what the run was created with');
const streamQuery = z.object({
  stream_mode: queryNames()
    .optional()
    .describe(`Kinds of frames, of ${STREAM_MODES.join(', ')}. Default: those that the run was created with`),
  cancel_on_disconnect: cancelOnDisconnect,
});
type StreamQuery = z.output<typeof streamQuery>;
const joinQuery = z.object({ cancel_on_disconnect: cancelOnDisconnect });
const cancelQuery = z.object({
  wait: queryBoolean().default(false).describe('Answer when the run has ended'),
  action: z
    .enum(['interrupt', 'rollback'])
    .default('interrupt')
    .describe('`rollback` also undoes the changes of the run'),
});
const streamModes = z.array(z.enum(STREAM_MODES));

function mountMember(routes: RouteTable, family: RouteFamily, responses: RunResponses): void {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  routes.get(`${runs}/{run_id}`, {
    operationId: 'getRun',
    summary: 'One run',
    thread: 'read',
    responses: { 200: runResponse },
    handle: async (c) => c.json((await responses.present(c, [await responses.run(c)]))[0]),
  });
  routes.delete(`${runs}/{run_id}`, {
    operationId: 'deleteRun',
    errors: ['conflict'],
    summary: 'Delete an ended run and its record; the state of the thread stays',
    thread: 'write',
    responses: { 204: { description: 'Deleted' } },
    handle: async (c) => responses.delete(c, await responses.run(c)),
  });
  routes.post(`${runs}/{run_id}/cancel`, {
    operationId: 'cancelRun',
    errors: ['conflict', 'too_many_attempts'],
    summary: 'Cancel a run; its output so far is kept',
    thread: 'write',
    query: cancelQuery,
    responses: {
      202: { description: 'The run is being cancelled' },
      204: { description: 'The run has ended' },
    },
    handle: async (c, { query }) => responses.cancel(c, await responses.run(c), query),
  });
}

/** Mounts the routes that stay open while the run continues. */
function mountJoining(routes: RouteTable, family: RouteFamily, responses: RunResponses): void {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  const joining = {
    summary: 'Frames of a run after `Last-Event-ID`, live until its end',
    query: streamQuery,
    headers: ['Last-Event-ID'],
    errors: ['not_found'],
    responses: { 200: streamResponse, 204: { description: 'An `EventSource` has seen the end' } },
  } as const;
  routes.get(`${runs}/{run_id}/stream`, {
    ...joining,
    operationId: 'streamRunFrames',
    thread: 'read',
    handle: async (c, { query }) => responses.resume(c, await responses.run(c), streamChoices(c, query)),
  });
  routes.get(`${family.prefix}/runs/{run_id}/stream`, {
    ...joining,
    operationId: 'streamFramesOfRun',
    handle: async (c, { query }) =>
      responses.resume(c, await responses.runAnywhere(c), streamChoices(c, query)),
  });
  routes.get(`${runs}/{run_id}/join`, {
    operationId: 'joinRun',
    errors: ['too_many_attempts'],
    summary: 'Wait for the final values of a run',
    thread: 'read',
    query: joinQuery,
    responses: { 200: valuesResponse },
    handle: async (c, { query }) => {
      const { cancelOnDisconnect = false } = streamChoices(c, query);
      return responses.wait(c, await responses.run(c), { cancelOnDisconnect });
    },
  });
}

function streamChoices(
  c: AppContext,
  { stream_mode: names, cancel_on_disconnect: cancelOnDisconnect }: StreamQuery,
) {
  if (cancelOnDisconnect === true) requireWrite(c);
  return {
    modes: names === undefined || names.length === 0 ? undefined : parseModes(names),
    cancelOnDisconnect,
  };
}

function parseModes(names: readonly string[]) {
  const parsed = streamModes.safeParse(names);
  if (!parsed.success) throw validationFailed(['query', 'stream_mode'], `one of ${STREAM_MODES.join(', ')}`);
  return parsed.data;
}
