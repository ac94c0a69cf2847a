// Runs of a thread, under both prefixes (docs/contract/runs.md#creating).
import { z } from 'zod';
import { validationFailed } from '../../errors.ts';
import { type RunBody, runBodySchema as runRequestSchema } from '../../runs/request/run-request.ts';
import { STREAM_MODES } from '../../runs/request/stream-modes.ts';
import type { AppContext } from '../api/context.ts';
import { queryBoolean, queryNames } from '../api/query-list.ts';
import { requireWrite } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import type { MountRoutes } from '../api/route-table.ts';
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

export function runRoutes(family: RouteFamily, dependencies: RunRouteDependencies): MountRoutes {
  const responses = runResponses(family, dependencies);
  return (routes) => {
    mountCreation(family, responses)(routes);
    mountRunList(family, responses)(routes);
    mountReading(family, responses)(routes);
    mountJoining(family, responses)(routes);
    mountEnding(family, responses)(routes);
  };
}

const MAX_BATCH = 50;

/** What a run-creating route is given; the run may bring its thread along, so the thread is looked up later. */
function creation(family: RouteFamily, path: string) {
  return {
    method: 'post',
    path: `${family.prefix}${path}`,
    body: { kind: 'json', schema: runRequestSchema, optional: true },
    headers: ['Idempotency-Key'],
    errors: ['not_found', 'conflict', 'too_many_waiting', 'insufficient_storage'],
  } as const;
}

function mountCreation(family: RouteFamily, responses: RunResponses): MountRoutes {
  return (routes) => {
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs'),
      operationId: 'createRun',
      summary:
        'Create a run: returns a stream of its frames, or the run as JSON while it continues in the background',
      responses: { 200: startedResponse },
      handle: async (c, { body }) => {
        const run = await responses.start(c, body);
        return wantsStream(c, body) ? responses.stream(c, run) : responses.created(c, run);
      },
    });
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs/stream'),
      operationId: 'streamRun',
      summary: 'Create a run and stream its frames',
      responses: { 200: streamResponse },
      handle: async (c, { body }) => responses.stream(c, await responses.start(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs/wait'),
      operationId: 'waitForRun',
      summary: 'Create a run and wait for its final values',
      responses: { 200: valuesResponse },
      handle: async (c, { body }) => responses.wait(c, await responses.start(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs'),
      operationId: 'createStatelessRun',
      summary: 'Create a run on a new thread',
      responses: { 200: startedResponse },
      handle: async (c, { body }) => {
        const run = await responses.startStateless(c, body);
        return wantsStream(c, body) ? responses.stream(c, run) : responses.created(c, run);
      },
    });
    routes.add<readonly RunBody[]>({
      ...creation(family, '/runs/batch'),
      operationId: 'createRunBatch',
      summary: 'Create several runs, each on a new thread',
      body: { kind: 'json', schema: z.array(runRequestSchema).min(1).max(MAX_BATCH) },
      responses: { 200: { description: 'The runs', schema: z.array(runBodySchema) } },
      handle: async (c, { body }) => c.json(await responses.present(c, await responses.startBatch(c, body))),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs/stream'),
      operationId: 'streamStatelessRun',
      summary: 'Create a run on a new thread and stream its frames',
      responses: { 200: streamResponse },
      handle: async (c, { body }) => responses.stream(c, await responses.startStateless(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs/wait'),
      operationId: 'waitForStatelessRun',
      summary: 'Create a run on a new thread and wait for its final values',
      responses: { 200: valuesResponse },
      handle: async (c, { body }) => responses.wait(c, await responses.startStateless(c, body)),
    });
  };
}

/** The SDK, which always names an assistant, wants the run; everybody else a stream. */
function wantsStream(c: AppContext, body: RunBody): boolean {
  return body.assistant_id === undefined || acceptsEventStream(c);
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
  wait: queryBoolean().optional().meta({ description: 'Answer when the run has ended', default: false }),
  action: z
    .enum(['interrupt', 'rollback'])
    .optional()
    .meta({ description: '`rollback` also takes back what the run changed', default: 'interrupt' }),
});
const streamModes = z.array(z.enum(STREAM_MODES));

function mountReading(family: RouteFamily, responses: RunResponses): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  return (routes) => {
    routes.add({
      method: 'get',
      path: `${runs}/{run_id}`,
      operationId: 'getRun',
      summary: 'One run',
      thread: 'read',
      responses: { 200: runResponse },
      handle: async (c) => c.json((await responses.present(c, [await responses.run(c)]))[0]),
    });
  };
}

/** What is open while the run goes on. */
function mountJoining(family: RouteFamily, responses: RunResponses): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  const joining = {
    method: 'get',
    summary: 'Frames of a run after `Last-Event-ID`, live until its end',
    query: streamQuery,
    headers: ['Last-Event-ID'],
    errors: ['not_found'],
    responses: { 200: streamResponse, 204: { description: 'An `EventSource` has seen the end' } },
  } as const;
  return (routes) => {
    routes.add<undefined, StreamQuery>({
      ...joining,
      operationId: 'streamRunFrames',
      path: `${runs}/{run_id}/stream`,
      thread: 'read',
      handle: async (c, { query }) => responses.resume(c, await responses.run(c), streamChoices(c, query)),
    });
    routes.add<undefined, StreamQuery>({
      ...joining,
      operationId: 'streamFramesOfRun',
      path: `${family.prefix}/runs/{run_id}/stream`,
      handle: async (c, { query }) =>
        responses.resume(c, await responses.runAnywhere(c), streamChoices(c, query)),
    });
    routes.add<undefined, z.output<typeof joinQuery>>({
      method: 'get',
      path: `${runs}/{run_id}/join`,
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
  };
}

function mountEnding(family: RouteFamily, responses: RunResponses): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  return (routes) => {
    routes.add({
      method: 'delete',
      path: `${runs}/{run_id}`,
      operationId: 'deleteRun',
      errors: ['conflict'],
      summary: 'Delete an ended run with its record; the state of the thread stays',
      thread: 'write',
      responses: { 204: { description: 'Deleted' } },
      handle: async (c) => responses.delete(c, await responses.run(c)),
    });
    routes.add<undefined, z.output<typeof cancelQuery>>({
      method: 'post',
      path: `${runs}/{run_id}/cancel`,
      operationId: 'cancelRun',
      errors: ['conflict', 'too_many_attempts'],
      summary: 'Cancel a run; what it said so far is kept',
      thread: 'write',
      query: cancelQuery,
      responses: {
        202: { description: 'The run is being cancelled' },
        204: { description: 'The run has ended' },
      },
      handle: async (c, { query }) =>
        responses.cancel(c, await responses.run(c), {
          wait: query.wait ?? false,
          action: query.action ?? 'interrupt',
        }),
    });
  };
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
