// The conformance suite of the protocol against the service, and which of its scenarios do not apply.
import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKey } from '../support/api-key.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const BASELINE = fileURLToPath(new URL('conformance-baseline.yml', import.meta.url));

let service: ServedService;
let front: Server;
beforeAll(async () => {
  service = await openServedService();
  const { key } = await makeKey(await service.user());
  front = await withKeyAdded(service.server.url, key);
});
afterAll(async () => {
  front.close();
  await service.close();
});

/** The suite knows no keys: this passes its requests on with one, and leaves everything else as it is. */
async function withKeyAdded(url: string, key: string): Promise<Server> {
  const { hostname, port } = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const { method, url: path } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (respond) => {
      outgoing.writeHead(respond.statusCode ?? 502, respond.headers);
      respond.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

it('[mcp-server.conformance] passes what applies, and the list of what does not is true', async () => {
  const { port } = front.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const args = [SUITE, 'server', '--url', url, '--expected-failures', BASELINE];
  // It fails for a scenario that fails and is not in the list, and for one that is in the list and passes.
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/server-initialize: 1 passed, 0 failed/);
  expect(stdout).toMatch(/dns-rebinding-protection: 2 passed, 0 failed/);
}, 60_000);
