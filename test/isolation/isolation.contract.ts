// Every route, every id in it, as another user: the answer and the work are those of an absent row.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoModel } from '../../src/models/demo-model.ts';
import { makeKey, withKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { type Attack, attacksOn, type Ids, type Sent } from './attacks.ts';
import { CASES } from './cases.ts';
import { type Operation, operationsOf } from './operations.ts';
import { openSpiedStorage, type SpiedStorage } from './statement-spy.ts';
import { absentIds, createWorld, freshThread, SECRET, type World } from './world.ts';

interface Outcome {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly statements: readonly string[];
}

/** Told for each request anew. */
const OWN_HEADERS = new Set(['x-request-id', 'date', 'content-length']);
const PATIENCE = { timeout: 600_000 };

let spy: SpiedStorage;
/** Runs that an attack has begun go on asking on a database that answers later. */
let comparesWork: boolean;
let service: TestService;
let world: World;
let operations: readonly Operation[];

/** `open` answers the address of an empty database. `thorough`: keys as well as sessions, and what the database is asked. */
export function isolationContract(
  open: () => Promise<string>,
  { thorough }: { readonly thorough: boolean },
): void {
  beforeAll(async () => {
    spy = await openSpiedStorage(await open());
    comparesWork = thorough;
    service = await openTestService({
      models: [createDemoModel({ delayMs: 0 })],
      overrides: { storage: spy.storage },
    });
    world = await createWorld(service);
    operations = await operationsOf(world.ann);
    spy.watch(world.anns.user);
  }, 240_000);
  afterAll(() => service.close(), 600_000);

  describe('every route', everyRoute);
  if (thorough) describe('every route, to a key', everyRouteToKeys);
}

async function request(
  client: HttpClient,
  { method, path, query, body, text }: Sent & { readonly method: string; readonly path: string },
) {
  const address = query === undefined ? path : `${path}?${query}`;
  if (text !== undefined)
    return client.send(method, address, { body: text, headers: { 'content-type': 'text/plain' } });
  if (body === undefined) return client.send(method, address);
  const headers = { 'content-type': 'application/json' };
  return client.send(method, address, { body: JSON.stringify(body), headers });
}

/** What the attack comes to with these ids; the ids themselves are left out of what is compared. */
async function outcome(client: HttpClient, attack: Attack, ids: Ids): Promise<Outcome> {
  await spy.taken();
  const { method } = attack.operation;
  const answer = await request(client, { method, path: attack.path(ids), ...attack.sent(ids) });
  const text = attack.isEndless ? '' : await answer.text();
  if (attack.isEndless) await answer.body?.cancel();
  const statements = comparesWork && !attack.isEndless ? await spy.taken() : [];
  const neutral = (it: string) =>
    attack.kinds.reduce((rest, kind) => rest.replaceAll(ids[kind], `<${kind}>`), it);
  return {
    status: answer.status,
    headers: [...answer.headers]
      .filter(([name]) => !OWN_HEADERS.has(name))
      .map((pair) => neutral(pair.join(': '))),
    body: neutral(text),
    statements,
  };
}

/** Ann's ids on a thread of her own, with those of the attacked kinds from `others`. */
function mixed(attack: Attack, own: Ids, others: Ids): Ids {
  const entries = attack.kinds.map((kind) => [kind, others[kind]]);
  return { ...own, ...Object.fromEntries(entries) };
}

async function expectNoDifference(client: HttpClient, attack: Attack): Promise<void> {
  const absent = attack.compare === 'taken' ? world.anns : absentIds();
  const results: Outcome[] = [];
  for (const others of [world.bobs, absent]) {
    const own = { ...world.anns, thread: await freshThread(world.ann) };
    results.push(await outcome(client, attack, mixed(attack, own, others)));
  }
  const [foreign, missing] = results;
  expect([attack.name, foreign?.body]).not.toEqual([attack.name, expect.stringContaining(SECRET)]);
  const compared = (it: Outcome | undefined) =>
    attack.compare === 'status'
      ? { status: it?.status }
      : { ...it, ...(attack.compare === 'taken' && { statements: [] }) };
  expect([attack.name, compared(foreign)]).toEqual([attack.name, compared(missing)]);
  expect([attack.name, foreign?.status]).not.toEqual([attack.name, 500]);
  if (attack.inPath && !isRefusedToKeys(attack) && !attack.isEndless)
    expect([attack.name, foreign?.status]).toEqual([attack.name, 404]);
}

/** The account is not for keys: they are refused before anything is looked up. */
function isRefusedToKeys({ operation }: Attack): boolean {
  return operation.path.startsWith('/api/v1/auth/');
}

function everyRoute(): void {
  it(
    '[hostile.S30] [hostile.S33] [isolation.routes] answers ids of somebody else as it answers absent ones, to a session',
    PATIENCE,
    async () => {
      const attacks = attacksOn(operations, CASES);
      expect(attacks.length).toBeGreaterThan(80);
      for (const attack of attacks) await expectNoDifference(world.ann, attack);
    },
  );

  it("[isolation.listings] shows nothing of somebody else's where no id is asked for", PATIENCE, async () => {
    const listings = operations.filter(
      ({ name, params, method }) =>
        params.length === 0 && method === 'GET' && CASES[name]?.isEndless !== true,
    );
    for (const { name, method, path } of listings) {
      const answer = await request(world.ann, { method, path, ...CASES[name] });
      const text = await answer.text();
      for (const hidden of [SECRET, ...Object.values(world.bobs)])
        expect([name, hidden, text.includes(hidden)]).toEqual([name, hidden, false]);
    }
    for (const path of ['/api/graph/store/items/search', '/api/graph/store/namespaces']) {
      const text = await (await world.ann.post(path, { namespace_prefix: [] })).text();
      expect([path, text.includes('hello'), text.includes(SECRET)]).toEqual([path, true, false]);
    }
    const { threads } = {
      threads: await (await world.ann.post('/api/threads/search', { limit: 1000 })).text(),
    };
    for (const hidden of [SECRET, ...Object.values(world.bobs)]) expect(threads).not.toContain(hidden);
  });

  it('[isolation.untouched] changes nothing of another user', async () => {
    const { thread, run, checkpoint } = world.bobs;
    const bob = service.service.storage.as(world.bobs.user);
    expect(await bob.threads.get(thread)).toMatchObject({
      displayName: `${SECRET} title`,
      headCheckpointId: checkpoint,
    });
    const runs = await bob.runs.list(thread, { limit: 9, offset: 0 });
    // Its own, that which gave a task, and that which heard of its end.
    expect(runs.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(runs.map(({ runId }) => runId)).toContain(run);
    expect(await bob.apiKeys.list()).toMatchObject([{ keyId: world.bobs.apiKey }]);
    expect(await bob.sessions.list(0)).toMatchObject([{ sessionId: world.bobs.session }]);
    expect(service.complaints).toEqual([]);
  });
}

function everyRouteToKeys(): void {
  it(
    '[isolation.keys] answers ids of somebody else as it answers absent ones, to an API key',
    PATIENCE,
    async () => {
      for (const attack of attacksOn(operations, CASES)) await expectNoDifference(world.annsProgram, attack);
    },
  );

  it(
    '[auth.keys.bearer] takes a key wherever it takes a session, but for the account',
    PATIENCE,
    async () => {
      for (const operation of operations.filter(({ isSocket }) => !isSocket)) {
        const { status } = await withAbsentIds(world.annsProgram, operation);
        const isRefused = status === 401 || (status === 403 && !isAboutAccounts(operation));
        expect([operation.name, status, isRefused && !isForAdministrators(operation)]).toEqual([
          operation.name,
          status,
          false,
        ]);
      }
    },
  );

  it(
    '[hostile.S31] [auth.keys.read] refuses a key that may only read where anything is changed',
    PATIENCE,
    async () => {
      const { key } = await makeKey(world.ann, { scopes: ['read'] });
      const reader = withKey(service.service.app, key);
      const opened: string[] = [];
      // Signing in and out needs no key, and the account is for none.
      const asked = operations.filter(
        ({ isSocket, method, path }) => !isSocket && method !== 'GET' && !path.startsWith('/api/v1/auth/'),
      );
      for (const operation of asked) {
        const { status } = await withAbsentIds(reader, operation);
        if (status !== 403) opened.push(operation.name);
      }
      expect(opened.toSorted()).toEqual(READING);
    },
  );
}

/** Those that change nothing though they are no GET; a command or a message is looked at before it is done. */
const READING: readonly string[] = [
  'DELETE /mcp',
  'POST /api/assistants/count',
  'POST /api/assistants/search',
  'POST /api/assistants/{assistant_id}/versions',
  'POST /api/graph/assistants/count',
  'POST /api/graph/assistants/search',
  'POST /api/graph/assistants/{assistant_id}/versions',
  'POST /api/graph/store/items/search',
  'POST /api/graph/store/namespaces',
  'POST /api/graph/threads/count',
  'POST /api/graph/threads/search',
  'POST /api/graph/threads/{thread_id}/commands',
  'POST /api/graph/threads/{thread_id}/history',
  'POST /api/graph/threads/{thread_id}/state/checkpoint',
  'POST /api/graph/threads/{thread_id}/stream/events',
  'POST /api/threads/count',
  'POST /api/threads/search',
  'POST /api/threads/{thread_id}/history',
  'POST /api/threads/{thread_id}/runs/edit-regenerate/prepare',
  'POST /api/threads/{thread_id}/runs/regenerate/prepare',
  'POST /api/threads/{thread_id}/state/checkpoint',
  'POST /mcp',
];

function isForAdministrators({ path }: Operation): boolean {
  const beginnings = ['/api/audit', '/api/admin/', '/api/mcp/config'];
  return beginnings.some((it) => path.startsWith(it)) || /\/(?:test|approve)$/.test(path);
}

/** The person's own, here and at tool servers. */
function isAboutAccounts({ path }: Operation): boolean {
  return path.startsWith('/api/v1/auth/') || path.endsWith('/sign-in') || path === '/api/mcp/oauth/callback';
}

async function withAbsentIds(client: HttpClient, { name, method, path }: Operation): Promise<Response> {
  const absent = path.replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const answer = await request(client, { method, path: absent, ...CASES[name] });
  if (CASES[name]?.isEndless === true) await answer.body?.cancel();
  return answer;
}
