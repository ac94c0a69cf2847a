/**
 * Which ids reach which route. The build fails on a route that is not here and on a field with an id that no case covers.
 *
 * To add a route: an entry `'<METHOD> <path>'`, as the API document writes them.
 * - `{}` when nothing but ids in the path can be somebody else's. A new name in braces goes to `KIND_OF_PARAM`, a new kind
 *   of row with an owner to `Kind` in attacks.ts and, with rows of two people, to world.ts.
 * - `body` and `query`: what the route needs to be valid.
 * - `attacks`: for each id in query or body, the names of its fields, its kinds, and how a request carries it. The answer
 *   must be that to an absent id: status, headers, body and statements of the database.
 * - `nobodys`: fields that look like ids and are nobody's, with the reason.
 */
import { ACCOUNT } from './account-cases.ts';
import { AGENTS } from './agent-cases.ts';
import type { Case, Cases, FieldAttack } from './attacks.ts';
import { MEMORY } from './memory-cases.ts';
import { RECORD } from './record-cases.ts';
import { REPLAY } from './replay-cases.ts';
import { SCHEDULES } from './schedule-cases.ts';
import { SKILLS } from './skill-cases.ts';
import { STORE } from './store-cases.ts';
import { STREAMS } from './stream-cases.ts';
import { TOOL_SERVERS } from './tool-server-cases.ts';

const NOTHING: Case = {};

/** The same under both prefixes. */
function both(cases: Cases): Cases {
  const entries = Object.entries(cases);
  return Object.fromEntries(
    ['/api', '/api/graph'].flatMap((prefix) =>
      entries.map(([name, given]) => [name.replace(' ', ` ${prefix}`), given]),
    ),
  );
}

const QUESTION = { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: 'hello' }] } };

/** Ids in the request of a run. */
const RUN_FIELDS: readonly FieldAttack[] = [
  {
    fields: ['assistant_id'],
    kinds: ['agent'],
    sent: ({ agent }) => ({ body: { ...QUESTION, assistant_id: agent } }),
  },
  {
    fields: ['checkpoint_id'],
    kinds: ['checkpoint'],
    sent: ({ checkpoint }) => ({ body: { ...QUESTION, checkpoint_id: checkpoint } }),
  },
  {
    fields: ['checkpoint'],
    kinds: ['checkpoint'],
    sent: ({ checkpoint }) => ({ body: { ...QUESTION, checkpoint: { checkpoint_id: checkpoint } } }),
  },
  {
    fields: ['follow_up_to_run_id'],
    kinds: ['run'],
    sent: ({ run }) => ({ body: { ...QUESTION, follow_up_to_run_id: run } }),
  },
  {
    fields: [],
    kinds: ['message'],
    sent: ({ message }) => ({
      body: { ...QUESTION, input: { messages: [{ id: message, role: 'user', content: 'hello' }] } },
    }),
    compare: 'status',
  },
];
const RUN: Case = { body: QUESTION, attacks: RUN_FIELDS };
const BATCH: Case = {
  attacks: RUN_FIELDS.map((field) => ({
    ...field,
    sent: (ids) => {
      const { body = {} } = field.sent(ids);
      return { body: Array.isArray(body) ? body : [body] };
    },
  })),
};

const THREADS: Cases = {
  'POST /threads': {
    attacks: [
      {
        fields: ['thread_id'],
        kinds: ['thread'],
        sent: ({ thread }) => ({ body: { thread_id: thread, if_exists: 'raise' } }),
        compare: 'taken',
      },
    ],
  },
  'POST /threads/search': {
    attacks: [
      { fields: ['ids'], kinds: ['thread'], sent: ({ thread }) => ({ body: { ids: [thread] } }) },
      {
        fields: [],
        kinds: ['thread'],
        sent: ({ thread }) => ({ body: { ids: [thread], select: ['values', 'thread_id'], limit: 5 } }),
      },
      { fields: [], kinds: ['user'], sent: ({ user }) => ({ body: { metadata: { owner_id: user } } }) },
    ],
  },
  'POST /threads/prune': {
    attacks: [
      {
        fields: ['thread_ids'],
        kinds: ['thread'],
        sent: ({ thread }) => ({ body: { thread_ids: [thread] } }),
      },
    ],
  },
  'POST /threads/count': {
    attacks: [
      { fields: ['ids'], kinds: ['thread'], sent: ({ thread }) => ({ body: { ids: [thread] } }) },
      { fields: [], kinds: ['user'], sent: ({ user }) => ({ body: { metadata: { user_id: user } } }) },
    ],
  },
  'GET /threads/{thread_id}': NOTHING,
  'PATCH /threads/{thread_id}': { body: { metadata: { mine: true } } },
  'DELETE /threads/{thread_id}': { query: 'force=true' },
  'POST /threads/{thread_id}/copy': NOTHING,
};

const BEFORE: FieldAttack = {
  fields: ['before'],
  kinds: ['checkpoint'],
  sent: ({ checkpoint }) => ({ query: `before=${checkpoint}` }),
};

const STATES: Cases = {
  'GET /threads/{thread_id}/history': { attacks: [BEFORE] },
  'GET /threads/{thread_id}/state': NOTHING,
  'POST /threads/{thread_id}/state': {
    body: { values: { title: 'mine now' } },
    attacks: [
      {
        fields: ['checkpoint_id'],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) => ({ body: { values: {}, checkpoint_id: checkpoint } }),
      },
      {
        fields: ['checkpoint'],
        kinds: ['checkpoint', 'thread'],
        sent: ({ checkpoint, thread }) => ({
          body: { values: {}, checkpoint: { checkpoint_id: checkpoint, thread_id: thread } },
        }),
      },
      {
        fields: [],
        kinds: ['message'],
        sent: ({ message }) => ({ body: { values: { messages: [{ type: 'remove', id: message }] } } }),
        compare: 'status',
      },
    ],
  },
  'GET /threads/{thread_id}/state/{checkpoint_id}': NOTHING,
  'POST /threads/{thread_id}/state/checkpoint': {
    body: { checkpoint: { checkpoint_id: 'any' } },
    attacks: [
      {
        fields: ['checkpoint', 'checkpoint_id'],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) => ({ body: { checkpoint: { checkpoint_id: checkpoint } } }),
      },
    ],
  },
  'POST /threads/{thread_id}/history': {
    body: { limit: 5 },
    attacks: [
      {
        fields: ['before'],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) => ({ body: { before: checkpoint } }),
      },
      {
        fields: ['checkpoint_id'],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) => ({ body: { before: { checkpoint_id: checkpoint } } }),
      },
      BEFORE,
      {
        fields: ['checkpoint'],
        kinds: ['run'],
        sent: ({ run }) => ({ body: { checkpoint: { checkpoint_ns: `tools:${run}` } } }),
      },
      { fields: [], kinds: ['run'], sent: ({ run }) => ({ body: { metadata: { run_id: run } } }) },
    ],
  },
};

const RUNS: Cases = {
  'POST /threads/{thread_id}/runs': RUN,
  'POST /threads/{thread_id}/runs/stream': RUN,
  'POST /threads/{thread_id}/runs/wait': RUN,
  'POST /runs': RUN,
  'POST /runs/batch': BATCH,
  'POST /runs/stream': RUN,
  'POST /runs/wait': RUN,
  'POST /runs/cancel': {
    attacks: [
      { fields: ['run_ids'], kinds: ['run'], sent: ({ run }) => ({ body: { run_ids: [run] } }) },
      { fields: ['thread_id'], kinds: ['thread'], sent: ({ thread }) => ({ body: { thread_id: thread } }) },
      {
        fields: [],
        kinds: ['run'],
        sent: ({ run, thread }) => ({ body: { run_ids: [run], thread_id: thread } }),
      },
    ],
  },
  'GET /threads/{thread_id}/runs': NOTHING,
  'GET /threads/{thread_id}/runs/{run_id}': NOTHING,
  'DELETE /threads/{thread_id}/runs/{run_id}': NOTHING,
  'GET /threads/{thread_id}/runs/{run_id}/stream': NOTHING,
  'GET /runs/{run_id}/stream': NOTHING,
  'GET /threads/{thread_id}/runs/{run_id}/join': NOTHING,
  'POST /threads/{thread_id}/runs/{run_id}/cancel': NOTHING,
};

const ASSISTANTS: Cases = {
  'POST /assistants/search': NOTHING,
  'POST /assistants/count': NOTHING,
  'POST /assistants': NOTHING,
  'GET /assistants/{assistant_id}': NOTHING,
  'PATCH /assistants/{assistant_id}': { body: {} },
  'DELETE /assistants/{assistant_id}': NOTHING,
  'GET /assistants/{assistant_id}/graph': NOTHING,
  'GET /assistants/{assistant_id}/schemas': NOTHING,
  'GET /assistants/{assistant_id}/subgraphs': NOTHING,
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': NOTHING,
  'POST /assistants/{assistant_id}/versions': { body: {} },
  'POST /assistants/{assistant_id}/latest': { body: { version: 1 } },
};

const command = (method: string, params: object) => ({ body: { id: 1, method, params: { ...params } } });

const PROTOCOL: Cases = {
  'POST /api/graph/threads/{thread_id}/commands': {
    ...command('state.get', {}),
    attacks: [
      { fields: [], kinds: ['thread'], sent: () => command('agent.getTree', {}) },
      { fields: [], kinds: ['thread'], sent: () => command('input.respond', { response: 'yes' }) },
      { fields: [], kinds: ['run'], sent: ({ run }) => command('agent.getTree', { run_id: run }) },
      {
        fields: [],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) =>
          command('run.start', { ...QUESTION, config: { configurable: { checkpoint_id: checkpoint } } }),
      },
    ],
  },
};

/** Paths lead to files of the thread in the address only. */
const FILES: Cases = {
  'GET /api/threads/{thread_id}/artifacts': NOTHING,
  'GET /api/threads/{thread_id}/artifacts/{path}': NOTHING,
  'PUT /api/threads/{thread_id}/artifacts/{path}': { body: { content: 'x' } },
  'GET /api/threads/{thread_id}/runs/{run_id}/workspace-changes': NOTHING,
  'POST /api/threads/{thread_id}/workspace/restore': {
    body: { point: 1 },
    attacks: [
      { fields: ['run_id'], kinds: ['run'], sent: ({ run }) => ({ body: { run_id: run } }) },
      {
        fields: ['checkpoint_id'],
        kinds: ['checkpoint'],
        sent: ({ checkpoint }) => ({ body: { checkpoint_id: checkpoint } }),
      },
    ],
  },
};

/** Packages name ids that are somebody else's now and then: an import has new ones then, and tells nothing. */
const TRANSFER: Cases = {
  'GET /api/threads/{thread_id}/export': NOTHING,
  'GET /api/account/export': NOTHING,
  'POST /api/threads/import': NOTHING,
  'POST /api/account/import': NOTHING,
};

const UPLOADS: Cases = {
  'GET /api/uploads/limits': NOTHING,
  'GET /api/threads/{thread_id}/uploads/limits': NOTHING,
  'POST /api/threads/{thread_id}/uploads': NOTHING,
  'GET /api/threads/{thread_id}/uploads/list': NOTHING,
  'DELETE /api/threads/{thread_id}/uploads/{filename}': NOTHING,
};

export const CASES: Cases = {
  'GET /health': NOTHING,
  'GET /health/ready': NOTHING,
  ...ACCOUNT,
  'GET /api/models': NOTHING,
  'GET /api/models/{model_name}': NOTHING,
  'GET /api/graph/ok': NOTHING,
  'GET /api/graph/info': NOTHING,
  'GET /api/audit': {
    nobodys: { before: 'a place in a log that only administrators read' },
    attacks: [{ fields: ['user'], kinds: ['user'], sent: ({ user }) => ({ query: `user=${user}` }) }],
  },
  'GET /api/admin/machine': NOTHING,
  'GET /api/features': NOTHING,
  'GET /api/threads/{thread_id}/token-usage': NOTHING,
  'GET /api/usage': NOTHING,
  'GET /api/suggestions/config': NOTHING,
  'POST /api/threads/{thread_id}/suggestions': NOTHING,
  'GET /api/threads/{thread_id}/goal': NOTHING,
  'PUT /api/threads/{thread_id}/goal': { body: { text: 'mine' } },
  'DELETE /api/threads/{thread_id}/goal': NOTHING,
  'GET /api/threads/{thread_id}/tasks': NOTHING,
  'POST /api/threads/{thread_id}/tasks/{task_id}/cancel': NOTHING,
  // A word that somebody else has written.
  'GET /api/search': { query: 'q=secretword' },
  ...both({ ...THREADS, ...STATES, ...RUNS, ...ASSISTANTS }),
  ...PROTOCOL,
  ...STREAMS,
  ...AGENTS,
  ...SKILLS,
  ...TOOL_SERVERS,
  ...REPLAY,
  ...RECORD,
  ...FILES,
  ...TRANSFER,
  ...UPLOADS,
  ...STORE,
  ...MEMORY,
  ...SCHEDULES,
};
