// Readers that stop reading, on a real socket: how much they hold, and when they are dropped.
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { MountRoutes } from '../../src/http/api/route-table.ts';
import { liveResponse } from '../../src/http/streams/live-response.ts';
import { keptAlive } from '../../src/http/streams/sse.ts';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let server: HttpServer;
afterEach(async () => {
  server.closeNow();
  await server.close().catch(() => undefined);
  await service.close();
});

describe('a reader that stalls', () => {
  it('[http.server.stalled] [fault.F32] is sent no more than it reads, and is dropped in the end', async () => {
    let asked = 0;
    let left = '';
    async function* texts(): AsyncGenerator<string, void, void> {
      for (;;) {
        asked++;
        yield 'x'.repeat(16_384);
      }
    }
    const endless: MountRoutes = (routes) =>
      routes.get('/api/endless', {
        operationId: 'test1',
        errors: [],
        summary: 'Never ends',
        responses: {},
        handle: (c) =>
          liveResponse(
            c,
            keptAlive(texts(), { heartbeat: ':\n', heartbeatMs: 50, onClose: (why) => (left = why) }),
            {},
          ),
      });
    service = await openTestApp({ app: { routes: [endless] } });
    const options = { ...httpOptionsSchema.parse({ port: 0 }), stall_seconds: 1 };
    server = await listen(service.app, options);
    const client = await service.user();
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    socket.pause();
    socket.write(`GET /api/endless HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
    await expect.poll(() => asked).toBeGreaterThan(3);
    await expect.poll(() => left).toBe('left');
    // Beyond what the two kernels buffer, one chunk in the socket and one in the stream.
    expect(asked * 16_384).toBeLessThan(16 * 1_048_576);
    const before = asked;
    await expect.poll(() => socket.destroyed || asked === before).toBe(true);
    socket.destroy();
  });
});
