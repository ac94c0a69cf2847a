// A server with one stream and its client in a network namespace, which then breaks: `half-open-process.ts
// <stall_seconds>`.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import type { AppEnv } from '../../src/http/api/context.ts';
import { liveResponse } from '../../src/http/streams/live-response.ts';
import { keptAlive } from '../../src/http/streams/sse.ts';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { listen } from '../../src/http/transport/server.ts';
import { ownTime } from '../support/own-time.ts';

const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'inherit' });
const stallSeconds = Number(process.argv[2]);
const heartbeatMs = (stallSeconds * 1000) / 18;

async function* nothing(): AsyncGenerator<string, void, void> {
  await new Promise(() => {});
}

ip('link', 'set', 'lo', 'up');
const left = Promise.withResolvers<void>();
const app = new Hono<AppEnv>().get('/', (c) =>
  liveResponse(c, keptAlive(nothing(), { heartbeat: ':\n', heartbeatMs, onClose: () => left.resolve() }), {}),
);
const server = await listen(app, { ...httpOptionsSchema.parse({ port: 0 }), stall_seconds: stallSeconds });
const client = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
// The head, and heartbeats for longer than the stall time: this connection is healthy.
const healthyUntil = performance.now() + stallSeconds * 1000;
while (performance.now() < healthyUntil) await once(client, 'data');

// From now on nothing arrives in either direction, and neither end is notified.
ip('link', 'set', 'lo', 'down');
const before = performance.now();
const took = ownTime();
await left.promise;
console.log(JSON.stringify({ freedAfterMs: performance.now() - before, ownMs: took() }));
process.exit(0);
