// Connections to remote tool servers that hang, lose sessions and flood.
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Resolve } from '../../src/network/checked-host.ts';
import { answerJson, listen, remotePool, remoteServer, startRemote } from './remote-server.ts';

const USER = 'user-1';
const anything = z.looseObject({});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Opens a stream of events without events. */
async function silentStream() {
  const opened = Promise.withResolvers<void>();
  const server = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    opened.resolve();
  });
  ends.push(server.close);
  return { url: server.url, opened: opened.promise };
}

function pool(resolve?: Resolve) {
  const made = remotePool(resolve);
  ends.push(() => made.close());
  return made;
}

const list = { method: 'tools/list', params: {} };
const limits = () => ({ signal: new AbortController().signal, timeoutMs: 5_000 });

describe('connections to remote tool servers', () => {
  it('[mcp.failures.calls] a stream that never names its write address is a server that is not ready in time', async () => {
    const { url } = await silentStream();
    const server = remoteServer({ type: 'sse', url, session_init_timeout: 1 });
    const used = pool().use(server, USER, (it) => it.request(list, anything, limits()));
    await expect(used).rejects.toMatchObject({
      kind: 'timeout',
      message: "The tool server 'remote' did not answer in time.",
    });
  });

  it('[mcp.processes] a pending connection ends with the service, and no other is opened', async () => {
    const { url, opened } = await silentStream();
    const server = remoteServer({ type: 'sse', url, session_init_timeout: 300 });
    const connections = pool();
    const use = () => connections.use(server, USER, (it) => it.request(list, anything, limits()));
    const used = expect(use()).rejects.toMatchObject({ kind: 'cancelled' });
    await opened;
    await connections.close();
    await used;
    await expect(use()).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('[mcp.failures.calls] a server that lost the session gets a new connection, and one more request', async () => {
    const remote = await startRemote(({ id }, response) => answerJson(response, id, { tools: [] }));
    ends.push(remote.close);
    const connections = pool();
    const use = () =>
      connections.use(remoteServer({ url: remote.url }), USER, (it) => it.request(list, anything, limits()));
    await use();
    remote.restart();
    expect(await use()).toEqual({ tools: [] });
    expect(remote.asked.filter((it) => it === 'initialize')).toHaveLength(2);
  });

  it('[mcp.results.limits] a response of 5 MB is too large, and no failure of the server', async () => {
    const remote = await startRemote(({ id }, response) =>
      answerJson(response, id, { text: 'x'.repeat(5_000_000) }),
    );
    ends.push(remote.close);
    const used = pool().use(remoteServer({ url: remote.url }), USER, (it) =>
      it.request(list, anything, limits()),
    );
    await expect(used).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('[mcp.failures.calls] a running call survives a change of the configuration', async () => {
    const first = Promise.withResolvers<() => void>();
    const remote = await startRemote(({ id, method }, response) => {
      if (method === 'tools/call') first.resolve(() => answerJson(response, id, { content: [] }));
      else answerJson(response, id, { tools: [] });
    });
    ends.push(remote.close);
    const connections = pool();
    const use = (version: string, method: string) =>
      connections.use(remoteServer({ url: remote.url }, version), USER, (it) =>
        it.request({ method, params: {} }, anything, limits()),
      );
    const call = use('first', 'tools/call');
    const release = await first.promise;
    await use('second', 'tools/list');
    release();
    expect(await call).toEqual({ content: [] });
    expect(remote.asked.filter((it) => it === 'initialize')).toHaveLength(2);
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '100.100.100.200'])(
    '[mcp.addresses] a name that resolves to %s gets no connection',
    async (address) => {
      const connections = pool(async () => [
        { address: '127.0.0.1', family: 4 },
        { address, family: address.includes(':') ? 6 : 4 },
      ]);
      for (const type of ['http', 'sse']) {
        const server = remoteServer({ type, url: 'http://tools.example/mcp' }, type);
        const used = connections.use(server, USER, (it) => it.request(list, anything, limits()));
        await expect(used).rejects.toMatchObject({
          kind: 'unreachable',
          message: expect.stringContaining('leads to an address that is never reached'),
        });
      }
    },
  );

  it('[mcp.addresses] a name that resolves elsewhere later, or after a redirect, gets nothing', async () => {
    const remote = await startRemote(({ id }, response) => answerJson(response, id, { tools: [] }));
    const moved = await listen((_request, response) => {
      response.writeHead(307, { location: '/other' }).end();
    });
    ends.push(remote.close, moved.close);
    const here = [{ address: '127.0.0.1', family: 4 }];
    const there = [{ address: '169.254.169.254', family: 4 }];
    const { port } = new URL(remote.url);
    let found = here;
    const server = remoteServer({ url: `http://tools.example:${port}/mcp` });
    const connections = pool(async () => found);
    const use = () => connections.use(server, USER, (it) => it.request(list, anything, limits()));
    expect(await use()).toEqual({ tools: [] });
    const asked = remote.asked.length;
    found = there;
    await expect(use()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(remote.asked).toHaveLength(asked);

    let looks = 0;
    const redirected = remoteServer({ url: `http://tools.example:${new URL(moved.url).port}/mcp` }, 'moved');
    // Resolved once before the connection, once for the request, and then for the redirect.
    const turning = pool(async () => (++looks > 2 ? there : here));
    const used = turning.use(redirected, USER, (it) => it.request(list, anything, limits()));
    await expect(used).rejects.toMatchObject({ kind: 'unreachable' });
    expect(looks).toBe(3);
  });

  it('[mcp.addresses] an unrequested compression of a response is handled', async () => {
    const remote = await startRemote(({ id }, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })));
    });
    ends.push(remote.close);
    const used = pool().use(remoteServer({ url: remote.url }), USER, (it) =>
      it.request(list, anything, limits()),
    );
    expect(await used).toEqual({ tools: [] });
  });

  it("[mcp.addresses] an unknown compression is ignored, even under the name of an object's property", async () => {
    const remote = await startRemote(({ id }, response) => {
      response.setHeader('content-encoding', 'constructor');
      answerJson(response, id, { tools: [] });
    });
    ends.push(remote.close);
    const used = pool().use(remoteServer({ url: remote.url }), USER, (it) =>
      it.request(list, anything, limits()),
    );
    expect(await used).toEqual({ tools: [] });
  });

  it('[mcp.failures.missing] forgets the failure of a server that is reconfigured or removed', async () => {
    const connections = pool(async () => []);
    const server = remoteServer({ url: 'http://tools.example/mcp' });
    for (let time = 0; time < 3; time += 1) {
      const used = connections.use(server, USER, (it) => it.request(list, anything, limits()));
      await expect(used).rejects.toMatchObject({
        message: expect.stringContaining('its host name cannot be resolved'),
      });
    }
    await connections.sweep(new Map([['remote', server]]));
    expect(connections.brokenBecause(server, USER)).toContain('its host name cannot be resolved');
    await connections.sweep(new Map([['remote', remoteServer({ url: server.entry.url }, 'second')]]));
    expect(connections.brokenBecause(server, USER)).toBeUndefined();
  });

  it('[mcp.elicitation.form] defaults named like the prototype of objects are not written', async () => {
    const pollution = { type: 'object', properties: { polluted: { default: 'yes' } } };
    const inner = Object.fromEntries([['__proto__', pollution]]);
    const requestedSchema = {
      type: 'object',
      properties: {},
      anyOf: [{ type: 'object', properties: inner }],
    };
    const params = { mode: 'form', message: 'Go on?', requestedSchema };
    let finish = (): void => {};
    const remote = await startRemote(({ id, method }, response) => {
      if (method !== 'tools/call') {
        response.writeHead(202).end();
        finish();
        return;
      }
      const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event({ id: 'ask', method: 'elicitation/create', params }));
      finish = () => response.end(event({ id, result: { content: [] } }));
    });
    ends.push(remote.close);
    const called = pool().use(remoteServer({ url: remote.url }), USER, (it) =>
      it.call({ method: 'tools/call', params: { name: 'ask' } }, anything, {
        ...limits(),
        onProgress() {},
        elicit: () => ({ action: 'accept', content: {} }),
      }),
    );
    await Promise.allSettled([called]);
    const polluted = Reflect.get({}, 'polluted');
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(polluted).toBeUndefined();
    await expect(called).resolves.toMatchObject({ result: { content: [] } });
  });
});
