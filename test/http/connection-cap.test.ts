// How many connections one client address may hold open.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const LINE = 'Connections were refused: the address has server.max_connections_per_address open';

let service: TestApp;
let server: HttpServer;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeNow();
  await server.close();
  await service.close();
});

const options = httpOptionsSchema.parse({ port: 0, max_connections_per_address: 3 });

async function serve(trusted: readonly string[]): Promise<void> {
  service = await openTestApp();
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (fields: object, message: string) => service.lines.push({ level: 'warn', fields, message }),
  };
  const isTrustedProxy = (address: string | undefined) => trusted.includes(address ?? '');
  server = await listen(service.app, options, { log, isTrustedProxy });
}

/** Opens a connection; resolves when it gets a response, or with `undefined` when the server closes it. */
function opened(): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => resolve(socket));
    socket.once('close', () => resolve(undefined));
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}

it('[hostile.S65] [http.connections] one over the limit is closed and logged once; a free place admits the next', async () => {
  await serve([]);
  const [first] = [await opened(), await opened(), await opened()];
  expect([await opened(), await opened()]).toEqual([undefined, undefined]);
  expect(service.lines.filter(({ message }) => message === LINE)).toEqual([
    { level: 'warn', fields: { address: '127.0.0.1', refused: 1 }, message: LINE },
  ]);
  first?.destroy();
  await expect.poll(opened).toBeDefined();
});

it('[http.connections] a client behind a trusted proxy is not counted with the others', async () => {
  await serve(['127.0.0.1']);
  for (let n = 0; n < 6; n++) expect(await opened()).toBeDefined();
  expect(service.lines.filter(({ message }) => message === LINE)).toEqual([]);
});
