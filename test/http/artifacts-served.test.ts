// Artifacts over a real socket: large files are sent whole, at the reader's pace, and cut off when the file
// shrinks.
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

const SIZE = 64 * 1024 * 1024;
let service: TestService;
let server: HttpServer;
let ann: HttpClient;
let file: string;
let path: string;
beforeAll(async () => {
  service = await openTestService();
  server = await listen(service.service.app, httpOptionsSchema.parse({ port: 0 }));
  ann = await service.user('ann');
  const thread = await newThread(ann);
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  const folder = join(service.dataHome, 'users', id, 'threads', thread, 'user-data', 'outputs');
  await mkdir(folder, { recursive: true });
  file = join(folder, 'large.bin');
  path = `/api/threads/${thread}/artifacts/mnt/user-data/outputs/large.bin`;
  await writeFile(file, Buffer.alloc(SIZE, 7));
});
afterAll(async () => {
  server.closeNow();
  await server.close();
  await service.close();
});

function asked(
  options: { readonly method?: string; readonly range?: string } = {},
): Promise<IncomingMessage> {
  const { method = 'GET', range } = options;
  const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { cookie, ...(range !== undefined && { range }) };
  return new Promise((resolve, reject) => {
    get(`${server.url}${path}`, { method, headers, agent: false }, resolve).on('error', reject).end();
  });
}

async function received(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  return bytes;
}

// Memory after garbage collection: the garbage itself depends on the load of the machine.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

it('[artifacts.served] is sent whole, in parts, and as headers alone', async () => {
  const whole = await asked();
  expect([whole.statusCode, whole.headers['content-length']]).toEqual([200, String(SIZE)]);
  expect(await received(whole)).toBe(SIZE);
  const part = await asked({ range: 'bytes=1000-300999' });
  expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 1000-300999/${SIZE}`]);
  expect(await received(part)).toBe(300_000);
  const head = await asked({ method: 'HEAD' });
  expect([head.statusCode, head.headers['content-length'], await received(head)]).toEqual([
    200,
    String(SIZE),
    0,
  ]);
});

it('[artifacts.pace] is read no faster than the client reads', async () => {
  const before = heldBytes();
  const readers = await Promise.all(Array.from({ length: 8 }, () => asked()));
  // No client reads. Only what the sockets buffer is read from the file.
  for (let turn = 0; turn < 2_000; turn += 1) await nextTurn();
  // Buffers of other work in this process are freed in time; those for these readers would stay.
  await expect.poll(() => heldBytes() - before).toBeLessThan(SIZE / 2);
  for (const reader of readers) reader.destroy();
});

it('[artifacts.shrunk] a file that shrinks while it is sent breaks the response off', async () => {
  const answer = await asked();
  await truncate(file, 1024);
  await expect(received(answer)).rejects.toThrow(/aborted/);
});
