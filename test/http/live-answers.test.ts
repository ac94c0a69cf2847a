// Live responses on a real socket: their head, their end, and readers that request only the head.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MountRoutes } from '../../src/http/api/route-table.ts';
import { liveResponse } from '../../src/http/streams/live-response.ts';
import { keptAlive } from '../../src/http/streams/sse.ts';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let server: HttpServer;
let closings: string[];
let texts: () => AsyncGenerator<string, void, void>;

beforeEach(async () => {
  closings = [];
  const live: MountRoutes = (routes) =>
    routes.get('/api/live', {
      operationId: 'test1',
      errors: [],
      summary: 'Goes on',
      responses: {},
      handle: (c) => {
        const body = keptAlive(texts(), {
          heartbeat: ':\n',
          heartbeatMs: 60_000,
          onClose: (why) => closings.push(why),
        });
        return liveResponse(c, body, { 'Content-Type': 'text/event-stream' });
      },
    });
  service = await openTestApp({ app: { routes: [live] } });
  server = await listen(service.app, httpOptionsSchema.parse({ port: 0 }));
});
afterEach(async () => {
  server.closeNow();
  await server.close().catch(() => undefined);
  await service.close();
});

async function get(method: 'GET' | 'HEAD' = 'GET', signal?: AbortSignal): Promise<Response> {
  const client = await service.user();
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return fetch(`${server.url}/api/live`, { method, headers: { cookie }, ...(signal && { signal }) });
}

describe('a live response', () => {
  it('has the common headers, text in any script, and an end', async () => {
    texts = async function* words() {
      yield 'plain ';
      yield 'größer 漢字 ';
      yield `a${'😀'.repeat(100_000)}`;
      yield 'x'.repeat(200_000);
    };
    const answer = await get();
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(await answer.text()).toBe(`plain größer 漢字 a${'😀'.repeat(100_000)}${'x'.repeat(200_000)}`);
    expect(closings).toEqual(['ended']);
  });

  it('is cut off, not ended, when its source breaks', async () => {
    texts = async function* words() {
      yield 'half';
      throw new Error('broken');
    };
    const answer = await get();
    await expect(answer.text()).rejects.toThrow();
    expect(closings).toEqual(['broken']);
  });

  it('closes once when its reader leaves, and immediately for a reader of the head alone', async () => {
    texts = async function* words() {
      yield 'first';
      await new Promise(() => undefined);
    };
    const head = await get('HEAD');
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(closings).toEqual(['left']);
    const going = new AbortController();
    const answer = await get('GET', going.signal);
    await answer.body?.getReader().read();
    going.abort();
    await expect.poll(() => closings).toEqual(['left', 'left']);
  });
});
