// Rules for every route, read from the service's own list of routes, so that new routes are covered
// automatically.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPage } from '../docs/documents.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly json: boolean;
}

const OPEN = new Set([
  'GET /health',
  'GET /health/ready',
  'GET /api/graph/ok',
  'GET /api/graph/info',
  'GET /api/v1/auth/setup-status',
  'GET /api/v1/auth/providers',
  'POST /api/v1/auth/login/local',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/initialize',
]);

const EVENTS = '/api/graph/threads/{thread_id}/stream/events';
/** Routes that accept an absent body. */
const OPTIONAL = /\/(?:history|threads|threads\/search|threads\/count|suggestions)$/;

/** Valid for every route that reads a JSON body of a thread. */
const THREAD_BODY = JSON.stringify({
  ...question('hello'),
  metadata: { a: 1 },
  values: { title: 'mine now' },
  limit: 5,
  id: 1,
  method: 'state.get',
  channels: ['values'],
  rating: 1,
});

const BAD_BODIES = [
  'null',
  '[]',
  '[{}]',
  '"text"',
  '7',
  'NaN',
  '1e999',
  '{"input":NaN}',
  '{"metadata":{"a":1e999},"input":{"a":-1e999}}',
  '{"input":{"messages":[]},"input":null}',
  '{"\\udfff":1}',
  '{"a":',
  `${'['.repeat(100_000)}`,
  `{"input":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
  '{"metadata":{"a":"\\ud800"},"input":{"messages":[{"role":"user","content":"\\ud800"}]}}',
  '{"input":7,"metadata":7,"values":7,"limit":"x","email":7,"current_password":7,"n":7}',
  '{"input":[],"metadata":[],"values":[],"limit":[],"email":[],"current_password":[],"n":[]}',
  '{"input":{"messages":7},"metadata":"x","values":{"messages":7},"limit":-1,"config":7,"n":0}',
];

let service: TestService;
let ann: HttpClient;
let routes: Route[];
let bobs: { readonly threadId: string; readonly runId: string };
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  const bob = await service.user('bob');
  const threadId = await newThread(bob);
  const run = await bob.post(`/api/threads/${threadId}/runs`, question('hello'));
  bobs = { threadId, runId: (await bodyOf<{ run_id: string }>(run)).run_id };
  routes = await routesOf(ann);
});
afterAll(() => service.close());

async function routesOf(client: HttpClient): Promise<Route[]> {
  const document = await bodyOf<{ paths: Record<string, Record<string, { requestBody?: object }>> }>(
    await client.get('/openapi.json'),
  );
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      json: JSON.stringify(requestBody ?? '').includes('application/json'),
    })),
  );
}

function filled(path: string, { threadId, runId }: { threadId: string; runId: string }): string {
  const rest = path.replace('{thread_id}', threadId).replace('{run_id}', runId);
  return rest.replaceAll(/\{\w+\}/g, 'absent');
}

function send(
  client: HttpClient,
  { method, json }: Route,
  { path, body = THREAD_BODY }: { path: string; body?: string },
) {
  const init = json ? { body, headers: { 'content-type': 'application/json' } } : {};
  return client.send(method, path, init);
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const isOpen = (route: Route) => OPEN.has(nameOf(route));
const isWrite = ({ method }: Route) => method !== 'GET';

describe('every route', () => {
  it('[auth.session.missing] needs a session, unless it is public', async () => {
    expect(routes.length).toBeGreaterThan(20);
    for (const route of routes) {
      const answer = await send(service.client(), route, { path: filled(route.path, bobs), body: '{}' });
      const refused = answer.status === 401;
      expect([nameOf(route), refused]).toEqual([nameOf(route), !isOpen(route)]);
    }
  });

  it('[auth.public.exact] is named in the contract if it is public', async () => {
    const page = await readPage('docs/contract/authentication.md');
    const [, section = ''] = /^## Public paths\n([\s\S]*?)^## /m.exec(page) ?? [];
    const named = [...section.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
    const paths = [...OPEN].map((name) => name.replace(/^\w+ (?:\/api\/v1\/auth\/)?/, ''));
    expect(paths.filter((path) => !named.includes(path))).toEqual([]);
  });

  it('[auth.csrf.missing] needs the CSRF token for a write, unless it signs in', async () => {
    const stolen = service.client();
    stolen.cookies.set('access_token', ann.cookies.get('access_token') ?? '');
    for (const route of routes.filter((it) => isWrite(it) && !isOpen(it))) {
      const answer = await send(stolen, route, { path: filled(route.path, bobs) });
      expect([nameOf(route), answer.status]).toEqual([nameOf(route), 403]);
    }
  });

  it("[threads.foreign] treats another user's thread like an absent one", async () => {
    // A stream of events waits for an absent thread, and for one of another user.
    const ofThreads = routes.filter(
      (it) => it.path.includes('{thread_id}') && nameOf(it) !== `POST ${EVENTS}`,
    );
    expect(ofThreads.length).toBeGreaterThan(10);
    for (const route of ofThreads) {
      const foreign = await send(ann, route, { path: filled(route.path, bobs) });
      const absent = await send(ann, route, { path: filled(route.path, { ...bobs, threadId: 'absent' }) });
      expect([nameOf(route), foreign.status]).toEqual([nameOf(route), 404]);
      expect([nameOf(route), await foreign.text()]).toEqual([nameOf(route), await absent.text()]);
    }
  });

  it("[threads.foreign] treats another user's run on an own thread like an absent one", async () => {
    const threadId = await newThread(ann);
    for (const route of routes.filter(({ path }) => path.includes('{run_id}'))) {
      const own = { threadId, runId: bobs.runId };
      const foreign = await send(ann, route, { path: filled(route.path, own) });
      const absent = await send(ann, route, {
        path: filled(route.path, { ...own, runId: crypto.randomUUID() }),
      });
      expect([nameOf(route), foreign.status]).toEqual([nameOf(route), 404]);
      expect([nameOf(route), await foreign.text()]).toEqual([nameOf(route), await absent.text()]);
    }
  });

  it('[hostile.S04] [threads.create.id] refuses a malformed thread id', async () => {
    for (const route of routes.filter(({ path }) => path.includes('{thread_id}'))) {
      for (const threadId of ['a%2Fb', 'x'.repeat(65), '%00', 'a.b', '%F0%9F%A6%8A']) {
        const answer = await send(ann, route, { path: filled(route.path, { ...bobs, threadId }) });
        expect([nameOf(route), threadId, answer.status]).toEqual([nameOf(route), threadId, 422]);
      }
    }
  });

  it('[hostile.S62] [http.bad-input] responds to a meaningless body with 4xx', async () => {
    const threadId = await newThread(ann);
    for (const route of routes.filter(({ json }) => json)) {
      for (const body of BAD_BODIES) {
        const answer = await send(ann, route, {
          path: filled(route.path, { threadId, runId: 'absent' }),
          body,
        });
        const name = [nameOf(route), body.slice(0, 80)];
        expect([...name, Math.floor(answer.status / 100)]).toEqual([...name, 4]);
        await answer.body?.cancel();
      }
    }
  });

  it('[hostile.S62] [http.bad-input] responds to no body with 4xx, where it is not optional', async () => {
    const threadId = await newThread(ann);
    for (const route of routes.filter(({ json, path }) => json && !OPTIONAL.test(path))) {
      const path = filled(route.path, { threadId, runId: 'absent' });
      const answer = await send(ann, route, { path, body: '' });
      expect([nameOf(route), Math.floor(answer.status / 100)]).toEqual([nameOf(route), 4]);
    }
  });

  it('[http.errors.unknown] has failed in none of these cases', () => {
    expect(service.complaints).toEqual([]);
  });
});
