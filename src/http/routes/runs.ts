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
  type RunAnswers,
  type RunRouteDependencies,
  runAnswers,
} from '../runs/run-answers.ts';
import { mountRunList } from './run-list.ts';

const FRAMES = z.string().meta({
  examples: [
    'event: metadata\ndata: {"run_id":"01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51","thread_id":"01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20","attempt":1}\nid: 1-0-3f9a2c41\n\nevent: end\ndata: {}\nid: 9-0-3f9a2c41\n\n',
  ],
});
const streamAnswer = {
  description: 'The frames of the run',
  contentType: 'text/event-stream',
  schema: FRAMES,
};
const runAnswer = { description: 'The run', schema: runBodySchema };
const startedAnswer = {
  description: 'The run, or its frames: without `assistant_id`, and with `Accept: text/event-stream`',
  schema: runBodySchema,
  orStream: FRAMES,
} as const;
const valuesAnswer = {
  description: 'The final values of the state, or `__error__`',
  schema: finalValuesSchema,
};

export function runRoutes(family: RouteFamily, dependencies: RunRouteDependencies): MountRoutes {
  const answers = runAnswers(family, dependencies);
  return (routes) => {
    mountCreation(family, answers)(routes);
    mountRunList(family, answers)(routes);
    mountReading(family, answers)(routes);
    mountJoining(family, answers)(routes);
    mountEnding(family, answers)(routes);
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

function mountCreation(family: RouteFamily, answers: RunAnswers): MountRoutes {
  return (routes) => {
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs'),
      operationId: 'createRun',
      summary: 'Create a run: a stream of its frames, or the run as JSON while it goes on in the background',
      answers: { 200: startedAnswer },
      handle: async (c, { body }) => {
        const run = await answers.start(c, body);
        return wantsStream(c, body) ? answers.stream(c, run) : answers.created(c, run);
      },
    });
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs/stream'),
      operationId: 'streamRun',
      summary: 'Create a run and stream its frames',
      answers: { 200: streamAnswer },
      handle: async (c, { body }) => answers.stream(c, await answers.start(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/threads/{thread_id}/runs/wait'),
      operationId: 'waitForRun',
      summary: 'Create a run and wait for its final values',
      answers: { 200: valuesAnswer },
      handle: async (c, { body }) => answers.wait(c, await answers.start(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs'),
      operationId: 'createStatelessRun',
      summary: 'Create a run on a new thread',
      answers: { 200: startedAnswer },
      handle: async (c, { body }) => {
        const run = await answers.startStateless(c, body);
        return wantsStream(c, body) ? answers.stream(c, run) : answers.created(c, run);
      },
    });
    routes.add<readonly RunBody[]>({
      ...creation(family, '/runs/batch'),
      operationId: 'createRunBatch',
      summary: 'Create several runs, each on a new thread',
      body: { kind: 'json', schema: z.array(runRequestSchema).min(1).max(MAX_BATCH) },
      answers: { 200: { description: 'The runs', schema: z.array(runBodySchema) } },
      handle: async (c, { body }) => c.json(await answers.present(c, await answers.startBatch(c, body))),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs/stream'),
      operationId: 'streamStatelessRun',
      summary: 'Create a run on a new thread and stream its frames',
      answers: { 200: streamAnswer },
      handle: async (c, { body }) => answers.stream(c, await answers.startStateless(c, body)),
    });
    routes.add<RunBody>({
      ...creation(family, '/runs/wait'),
      operationId: 'waitForStatelessRun',
      summary: 'Create a run on a new thread and wait for its final values',
      answers: { 200: valuesAnswer },
      handle: async (c, { body }) => answers.wait(c, await answers.startStateless(c, body)),
    });
  };
}

/** The SDK, which always names an assistant, wants the run; everybody else a stream. */
function wantsStream(c: AppContext, body: RunBody): boolean {
  return body.assistant_id === undefined || acceptsEventStream(c);
}

const cancelOnDisconnect = queryBoolean()
  .optional()
  .describe(
    'Whether the run is cancelled when this client goes away. Default: what the run was created with',
  );
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

function mountReading(family: RouteFamily, answers: RunAnswers): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  return (routes) => {
    routes.add({
      method: 'get',
      path: `${runs}/{run_id}`,
      operationId: 'getRun',
      summary: 'One run',
      thread: 'read',
      answers: { 200: runAnswer },
      handle: async (c) => c.json((await answers.present(c, [await answers.run(c)]))[0]),
    });
  };
}

/** What is open while the run goes on. */
function mountJoining(family: RouteFamily, answers: RunAnswers): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  const joining = {
    method: 'get',
    summary: 'Frames of a run after `Last-Event-ID`, live until its end',
    query: streamQuery,
    headers: ['Last-Event-ID'],
    errors: ['not_found'],
    answers: { 200: streamAnswer, 204: { description: 'An `EventSource` has seen the end' } },
  } as const;
  return (routes) => {
    routes.add<undefined, StreamQuery>({
      ...joining,
      operationId: 'streamRunFrames',
      path: `${runs}/{run_id}/stream`,
      thread: 'read',
      handle: async (c, { query }) => answers.resume(c, await answers.run(c), streamChoices(c, query)),
    });
    routes.add<undefined, StreamQuery>({
      ...joining,
      operationId: 'streamFramesOfRun',
      path: `${family.prefix}/runs/{run_id}/stream`,
      handle: async (c, { query }) =>
        answers.resume(c, await answers.runAnywhere(c), streamChoices(c, query)),
    });
    routes.add<undefined, z.output<typeof joinQuery>>({
      method: 'get',
      path: `${runs}/{run_id}/join`,
      operationId: 'joinRun',
      errors: ['too_many_attempts'],
      summary: 'Wait for the final values of a run',
      thread: 'read',
      query: joinQuery,
      answers: { 200: valuesAnswer },
      handle: async (c, { query }) => {
        const { cancelOnDisconnect = false } = streamChoices(c, query);
        return answers.wait(c, await answers.run(c), { cancelOnDisconnect });
      },
    });
  };
}

function mountEnding(family: RouteFamily, answers: RunAnswers): MountRoutes {
  const runs = `${family.prefix}/threads/{thread_id}/runs`;
  return (routes) => {
    routes.add({
      method: 'delete',
      path: `${runs}/{run_id}`,
      operationId: 'deleteRun',
      errors: ['conflict'],
      summary: 'Delete an ended run with its record; the state of the thread stays',
      thread: 'write',
      answers: { 204: { description: 'Deleted' } },
      handle: async (c) => answers.delete(c, await answers.run(c)),
    });
    routes.add<undefined, z.output<typeof cancelQuery>>({
      method: 'post',
      path: `${runs}/{run_id}/cancel`,
      operationId: 'cancelRun',
      errors: ['conflict', 'too_many_attempts'],
      summary: 'Cancel a run; what it said so far is kept',
      thread: 'write',
      query: cancelQuery,
      answers: {
        202: { description: 'The run is being cancelled' },
        204: { description: 'The run has ended' },
      },
      handle: async (c, { query }) =>
        answers.cancel(c, await answers.run(c), {
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
