// Connections to remote tool servers that hang, forget and flood.
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerJson, listen, remotePool, remoteServer, startRemote } from './remote-server.ts';

const USER = 'user-1';
const anything = z.looseObject({});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A stream of events that is open and says nothing. */
async function silentStream() {
  const opened = Promise.withResolvers<void>();
  const server = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    opened.resolve();
  });
  ends.push(server.close);
  return { url: server.url, opened: opened.promise };
}

function pool() {
  const made = remotePool();
  ends.push(() => made.close());
  return made;
}

const list = { method: 'tools/list', params: {} };
const limits = () => ({ signal: new AbortController().signal, timeoutMs: 5_000 });

describe('connections to remote tool servers', () => {
  it('[mcp.failures.calls] a stream that never says where to write to is a server that is not ready in time', async () => {
    const { url } = await silentStream();
    const server = remoteServer({ type: 'sse', url, session_init_timeout: 1 });
    const used = pool().use(server, USER, (it) => it.request(list, anything, limits()));
    await expect(used).rejects.toMatchObject({
      kind: 'timeout',
      message: "The tool server 'remote' did not answer in time.",
    });
  });

  it('[mcp.processes] a connection that is being made ends with the service, and no other is made', async () => {
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

  it('[mcp.failures.calls] a server that forgot the session is connected to anew, and asked once more', async () => {
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

  it('[mcp.results.limits] an answer of 5 MB is too large, and no failure of the server', async () => {
    const remote = await startRemote(({ id }, response) =>
      answerJson(response, id, { text: 'x'.repeat(5_000_000) }),
    );
    ends.push(remote.close);
    const used = pool().use(remoteServer({ url: remote.url }), USER, (it) =>
      it.request(list, anything, limits()),
    );
    await expect(used).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('[mcp.failures.calls] a call under way is not ended by a change of the configuration', async () => {
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
});
