// Every route that needs a session, asked over raw TCP in ways that no client should ask it.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { createRandom } from '../simulation/random.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { type ClosedRoute, type RawRequest, rawRequests } from './raw-requests.ts';

/** Where the address of the socket alone decides nothing: on this machine, and for what lets others in. */
const SETTINGS = [
  ['on this machine alone', {}],
  [
    'behind a proxy, for any name',
    { server: { host: '0.0.0.0' }, auth: { trusted_proxies: ['192.0.2.10'] } },
  ],
] as const;

/** So many of each route's, and all of some routes'. */
const SAMPLE = 12;
const WHOLE_ROUTES = 4;
const AT_ONCE = 24;

describe.each(SETTINGS)('%s', (_name, config) => {
  let service: TestService;
  let server: HttpServer;
  let ann: HttpClient;
  let routes: readonly Omit<ClosedRoute, 'credential'>[];
  beforeAll(async () => {
    service = await openTestService({ config });
    server = await listen(service.service.app, httpOptionsSchema.parse({ port: 0 }));
    ann = await service.user('ann');
    routes = await closedRoutes(ann, await newThread(ann));
  });
  afterAll(async () => {
    server.closeNow();
    await server.close();
    await service.close();
  });

  it('[hostile.S61] nothing is answered without a session where one is needed, and nothing fails', async () => {
    expect(routes.length).toBeGreaterThan(80);
    const random = createRandom(61);
    const requests = routes.flatMap((route, n) => {
      const all = rawRequests({ ...route, credential: [] });
      return n < WHOLE_ROUTES ? all : Array.from({ length: SAMPLE }, () => random.pick(all));
    });
    expect(await wronglyAnswered(server, requests)).toEqual([]);
  });

  it('[hostile.S61] nothing is changed for a session without its CSRF token, whatever it is asked like', async () => {
    const credential = [`Cookie: access_token=${ann.cookies.get('access_token')}`];
    const random = createRandom(62);
    const requests = routes.flatMap((route) => {
      const all = rawRequests({ ...route, credential }).filter(isWrite);
      return all.length === 0 ? [] : Array.from({ length: SAMPLE / 2 }, () => random.pick(all));
    });
    expect(await wronglyAnswered(server, requests)).toEqual([]);
    // Signing out by an odd request would have ended it.
    expect((await ann.get('/api/v1/auth/me')).status).toBe(200);
  });

  it('[hostile.S60] what is open is what is public by decision', async () => {
    const documented = await documentedRoutes(ann);
    expect(documented.filter(({ isOpen }) => isOpen).map(({ name }) => name)).toEqual(OPEN);
    for (const path of NOWHERE) {
      const { status } = await fetch(`${server.url}${path}`, { redirect: 'manual' });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  it('[hostile.S61] the service lives and has nothing to complain about', async () => {
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(service.complaints).toEqual([]);
  });
});

const OPEN = [
  'GET /health',
  'GET /health/ready',
  'POST /api/v1/auth/login/local',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/initialize',
  'POST /api/v1/auth/logout',
  'GET /api/v1/auth/setup-status',
  'GET /api/v1/auth/providers',
  'GET /api/graph/ok',
  'GET /api/graph/info',
];

/** Where other services leave something open. */
const NOWHERE = [
  '/metrics',
  '/debug',
  '/debug/pprof',
  '/admin',
  '/status',
  '/api',
  '/graphql',
  '/.env',
  '/.git/config',
  '/config.yaml',
  '/actuator/env',
  '/server-status',
  '/swagger.json',
];

async function documentedRoutes(client: HttpClient) {
  const { paths } = await bodyOf<{
    paths: Record<string, Record<string, { security?: readonly object[] }>>;
  }>(await client.get('/openapi.json'));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      isOpen: security?.length === 0,
    })),
  );
}

async function closedRoutes(client: HttpClient, threadId: string) {
  const closed = (await documentedRoutes(client)).filter(({ isOpen }) => !isOpen);
  return closed.map(({ method, path }) => ({
    method,
    path: path.replace('{thread_id}', threadId).replaceAll(/\{\w+\}/g, 'absent'),
  }));
}

function isWrite({ bytes }: RawRequest): boolean {
  return /^(?:POST|PUT|PATCH|DELETE) /.test(bytes.toString());
}

/** Every request that was not refused, or that made the service fail. */
async function wronglyAnswered(
  server: HttpServer,
  requests: readonly RawRequest[],
): Promise<readonly (readonly [string, readonly number[]])[]> {
  const wrong: (readonly [string, readonly number[]])[] = [];
  const port = Number(new URL(server.url).port);
  const waiting = requests.values();
  const work = async (): Promise<void> => {
    for (const request of waiting) {
      const statuses = await statusesOf(port, request.bytes);
      const granted = statuses.filter((status) => status < 400).length;
      const failed = statuses.some((status) => status >= 500);
      if (failed || granted > request.publicParts) wrong.push([request.name, statuses]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return wrong;
}

/** Of all answers that come back on one connection. */
function statusesOf(port: number, bytes: Buffer): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    // Who refuses early resets the connection while we are still writing.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const text = Buffer.concat(received).toString('latin1');
      resolve([...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status)));
    });
    // No more is coming: a request that is not whole is over with it.
    socket.end(bytes);
  });
}
