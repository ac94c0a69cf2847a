// The real server on a real socket: raw paths, slow and oversized clients, closing.
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MountRoutes } from '../../src/http/api/route-table.ts';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let server: HttpServer;
let release: () => void;

/** A stream that ends when the test closes it. */
const streaming: MountRoutes = (routes) =>
  routes.get('/api/stream', {
    operationId: 'test1',
    errors: [],
    summary: 'Streams',
    responses: {},
    handle: () => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('first '));
          release = () => {
            controller.enqueue(new TextEncoder().encode('last'));
            controller.close();
          };
        },
      });
      return new Response(stream);
    },
  });

beforeEach(async () => {
  service = await openTestApp({ app: { routes: [streaming] } });
  server = await listen(service.app, httpOptionsSchema.parse({ port: 0 }));
});
afterEach(async () => {
  server.closeNow();
  await server.close().catch(() => undefined);
  await service.close();
});

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends the raw text; resolves with everything received once the server has closed the connection. */
function raw(text: string): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    // A server that refuses early resets the connection while we are still writing.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0), text: received });
    });
    socket.write(text);
  });
}

const get = (target: string, more = '') =>
  raw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`);

describe('paths', () => {
  it.each([
    '//health',
    '/health/../api/threads',
    '/api/../health',
    '/./health',
    '/%2e/health',
    '/api/%2e%2e/health',
    '/threads/../health',
    '/%68ealth',
    '/assets/../login',
  ])('[auth.public.exact] %s needs a session', async (target) => {
    expect((await get(target)).status).toBe(401);
  });

  it('[auth.public.exact] a public path is public with any query', async () => {
    for (const target of ['/health', '/health?a=/../b', '/login?next=//evil']) {
      expect((await get(target)).status).not.toBe(401);
    }
  });

  it.each(['health', '\\health', '/ü'])('the target %s is a bad request', async (target) => {
    expect((await get(target)).status).toBe(400);
  });

  it.each(['*', 'http://localhost/health', '//a@localhost/health#', '/health%', '/health\\x'])(
    '[http.target] the target %s is a bad request',
    async (target) => {
      const { status, text } = await get(target);
      expect([status, text]).toEqual([400, expect.stringContaining('{"detail":"The request target must be')]);
    },
  );
});

describe('hosts', () => {
  const asked = (...hosts: string[]) => {
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
    return raw(`GET /health HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
  };

  it('[http.target] a name or an address is accepted, with or without a port', async () => {
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:65535', '[::1]:0', '[::ffff:127.0.0.1]']) {
      expect([host, (await asked(host)).status]).toEqual([host, 200]);
    }
  });

  it('[http.target] anything else is a bad request, and the connection is closed', async () => {
    const strange = ['', '127.1', '0x7f000001', 'a..b', '-a', 'localhost:', '[::1', '[::1%25lo]', "a'b", 'ü'];
    for (const host of strange) {
      const { status, text } = await asked(host);
      expect([host, status, text]).toEqual([host, 400, expect.stringContaining('exactly one Host header')]);
    }
    expect((await asked('localhost', 'localhost')).status).toBe(400);
    expect((await asked()).status).toBe(400);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    const { status, text } = await raw(`GET /x HTTP/1.1\r\nHost: a/b?\r\n${upgrade}\r\n`);
    expect([status, text]).toEqual([400, expect.stringContaining('exactly one Host header')]);
  });

  it('[http.target] the service is no proxy', async () => {
    const { status, text } = await raw('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n');
    expect([status, text]).toEqual([400, expect.stringContaining('no proxy')]);
  });
});

describe('limits', () => {
  it('[hostile.S65] [http.server.limits] an oversized head is 431', async () => {
    const cookies = 'Cookie: a=b\r\n'.repeat(1_000);
    expect((await get('/health', cookies)).status).toBe(431);
    expect((await get(`/health?${'a'.repeat(8_388_608)}`)).status).toBe(431);
    expect((await get('/health', `X: ${'a'.repeat(70_000)}\r\n`)).status).toBe(431);
    expect((await get(`/${'a'.repeat(200_000)}`)).status).toBe(431);
  });

  it('[http.bad-input.large] a declared body of 100 MB is 413 before it is sent', async () => {
    const answer = await raw(
      'POST /api/v1/auth/register HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n{',
    );
    expect(answer.status).toBe(413);
  });

  it('[http.bad-input.large] an endless body is 413 when it passes the limit', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
    });
    const sent = fetch(`${server.url}/api/v1/auth/register`, {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    });
    // Either the response arrives, or the connection is cut while the body is still being written.
    const status = await sent.then(
      (answer) => answer.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it('[hostile.S65] [http.server.slow] a head or a body that does not arrive is disconnected', async () => {
    await server.close();
    const options = { port: 0, header_timeout_seconds: 1, request_timeout_seconds: 2 };
    server = await listen(service.app, httpOptionsSchema.parse(options));
    const body =
      'POST /api/v1/auth/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    const answers = await Promise.all([raw('GET /health HTTP/1.1\r\nHo'), raw(body), raw('')]);
    expect(answers.map((answer) => answer.status)).toEqual([408, 408, 408]);
  });

  it('[hostile.S65] two lengths for one body are refused, and nothing is read as a second request', async () => {
    const lengths = ['Content-Length: 5', 'Transfer-Encoding: chunked'];
    for (const pair of [lengths, lengths.toReversed(), ['Content-Length: 5', 'Content-Length: 6']]) {
      const head = `POST /api/v1/auth/register HTTP/1.1\r\nHost: localhost\r\n${pair.join('\r\n')}\r\n\r\n`;
      const answer = await raw(`${head}0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect([pair, answer.status]).toEqual([pair, 400]);
      expect(answer.text).not.toContain(' 200 ');
    }
  });

  it('[hostile.S65] pipelined requests get their responses in order', async () => {
    const asked = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? '/health' : '/nowhere'));
    const lines = asked.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
    const { text } = await raw(`${lines.join('\r\n')}Connection: close\r\n\r\n`);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    expect(statuses).toEqual(asked.map((path) => (path === '/health' ? 200 : 401)));
  });

  it('[hostile.S65] HTTP/2 is not supported', async () => {
    expect((await raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status).toBe(400);
  });

  it('an incomplete body is no failure of the service', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.end(
      'POST /api/v1/auth/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    socket.resume();
    await closed;
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(service.lines.filter((line) => line.level === 'error')).toEqual([]);
  });
});

describe('closing', () => {
  it('[http.server.close] lets a stream end and accepts no new connection', async () => {
    const client = await service.user();
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${server.url}/api/stream`, { headers: { cookie } });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toMatchObject({ value: 'first ' });

    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    expect(closed).toBe(false);
    release();
    expect(await reader?.read()).toMatchObject({ value: 'last' });
    await closing;
  });

  it('a port in use is an error', async () => {
    const { port } = new URL(server.url);
    await expect(listen(service.app, httpOptionsSchema.parse({ port: Number(port) }))).rejects.toThrow(
      /EADDRINUSE/,
    );
  });
});
