// What clients of the MCP server must not be able to do.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { makeKey, revoke } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { ACCEPT, connectMcp, type McpConnection } from './mcp-client.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a test', version: '1' } },
};
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

let service: TestService;
let ann: HttpClient;
let key: string;
let mcp: McpConnection;
beforeAll(async () => {
  service = await openTestService({ config: { server: { max_streams_per_user: 2 } } });
  ann = await service.user('ann');
  ({ key } = await makeKey(ann));
  mcp = await connectMcp(service, key);
});
afterEach(() => service.model.reset());
afterAll(() => service.close());

/** One message, as a client that is not the SDK sends it. */
function sent(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const all = {
    'content-type': 'application/json',
    accept: ACCEPT,
    authorization: `Bearer ${key}`,
    ...headers,
  };
  return service.client().send('POST', '/mcp', { body, headers: all });
}

const call = (name: string, args: object, id = 7) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** A run whose model has stopped in the middle of its answer. */
async function halfARun(): Promise<Record<string, unknown>> {
  halfAnAnswer(service.model);
  const run = await mcp.call('start_run', { message: 'hello' });
  await service.model.requested(1);
  return run;
}

describe('credentials', () => {
  it('[mcp-server.key] requires an API key, and refuses a cookie', async () => {
    expect((await service.client().post('/mcp', PING)).status).toBe(401);
    expect((await sent(PING, { authorization: 'Bearer ags_wrong' })).status).toBe(401);
    const refused = await ann.post('/mcp', PING, { accept: ACCEPT });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('send an API key');
    expect((await ann.get('/mcp')).status).toBe(403);
  });

  it('[mcp-server.key] a key that may only read starts and cancels nothing', async () => {
    const { run_id, thread_id } = await halfARun();
    const reader = await connectMcp(service, (await makeKey(ann, { scopes: ['read'] })).key);
    expect(await reader.call('get_run', { run_id })).toMatchObject({ status: 'running' });
    for (const [name, args] of [
      ['start_run', { message: 'hello' }],
      ['start_run', { message: 'hello', thread_id }],
      ['cancel_run', { run_id }],
    ] as const)
      expect(await reader.refusal(name, args)).toContain("lacks the scope 'write'");
    expect(await mcp.call('get_run', { run_id })).toMatchObject({ status: 'running' });
    await mcp.call('cancel_run', { run_id });
  });

  it('[mcp-server.key-ends] a wait ends when its key is revoked, and the run goes on', {
    timeout: 20_000,
  }, async () => {
    const made = await makeKey(ann);
    const { run_id } = await halfARun();
    const other = await connectMcp(service, made.key);
    const waiting = other.refusal('get_run', { run_id, wait_seconds: 600 });
    await revoke(ann, made);
    expect(await waiting).toContain('API key has ended');
    await expect(other.call('get_run', { run_id })).rejects.toThrow();
    expect(await mcp.call('get_run', { run_id })).toMatchObject({ status: 'running' });
    await mcp.call('cancel_run', { run_id });
  });
});

describe('somebody else', () => {
  it('[mcp-server.owner] finds nothing of Ann, as if it were not there', async () => {
    const path = '/mnt/user-data/outputs/secret.md';
    service.model.enqueue(
      answer.toolCalls([{ name: 'write_file', args: { path, content: 'secret' } }]),
      answer.text('Written.'),
    );
    const { run_id, thread_id } = await mcp.call('start_run', { message: 'write', wait_seconds: 30 });
    const bob = await connectMcp(service, (await makeKey(await service.user('bob'))).key);
    const absent = crypto.randomUUID();
    for (const [name, args, none] of [
      ['start_run', { message: 'hello', thread_id }, { message: 'hello', thread_id: absent }],
      ['get_run', { run_id, wait_seconds: 5 }, { run_id: absent, wait_seconds: 5 }],
      ['cancel_run', { run_id }, { run_id: absent }],
      ['read_thread', { thread_id }, { thread_id: absent }],
      ['list_artifacts', { thread_id }, { thread_id: absent }],
      ['read_artifact', { thread_id, path }, { thread_id: absent, path }],
    ] as const)
      expect([name, await bob.refusal(name, args)]).toEqual([name, await bob.refusal(name, none)]);
    await expect(bob.client.readResource({ uri: `thread://${thread_id}${path}` })).rejects.toThrow(
      'Thread not found',
    );
    expect(await bob.call('list_threads')).toEqual({ threads: [], total: 0 });
    expect(await mcp.raw('read_artifact', { thread_id, path })).toMatchObject({
      content: [{ text: 'secret' }],
    });
  });

  it('[mcp-server.stateless] [mcp-server.cancel-wait] cancels no call of Ann, whatever session they name', async () => {
    const { run_id } = await halfARun();
    const session = { 'mcp-session-id': 'the same for both' };
    const waiting = await sent(call('get_run', { run_id, wait_seconds: 600 }, 7), session);
    const given = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const { key: bobs } = await makeKey(await service.user('bob'));
    expect((await sent(given, { ...session, authorization: `Bearer ${bobs}` })).status).toBe(202);
    expect((await sent(given, { 'mcp-session-id': 'another one' })).status).toBe(202);
    expect((await sent(given)).status).toBe(202);
    const ended = waiting.text();
    expect(await Promise.race([ended, mcp.call('list_agents')])).not.toContain('cancelled');
    expect((await sent(given, session)).status).toBe(202);
    expect(await ended).toContain('The call was cancelled. The run continues');
    expect(await mcp.call('get_run', { run_id })).toMatchObject({ status: 'running' });
    await mcp.call('cancel_run', { run_id });
  });
});

describe('a page', () => {
  it('[mcp-server.origin] [hostile.S42] of another site, or under another name of this machine, is refused', async () => {
    for (const headers of [
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { host: 'evil.example.com', origin: 'http://evil.example.com' },
      { host: 'evil.example.com' },
    ])
      expect([headers, (await sent(INITIALIZE, headers)).status]).toEqual([headers, 403]);
    for (const headers of [{}, { host: 'localhost:2026', origin: 'http://localhost:2026' }])
      expect([headers, (await sent(INITIALIZE, headers)).status]).toEqual([headers, 200]);
  });
});

describe('a message', () => {
  it('[mcp-server.bounds] that is too large, many in one, or none is refused', async () => {
    const long = 'x'.repeat(4_194_304);
    expect((await sent(call('start_run', { message: long }))).status).toBe(413);
    for (const body of [
      call('start_run', { message: 'x'.repeat(1_100_000) }),
      [PING, PING],
      [],
      '{"jsonrpc":',
      { id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 1 },
      { jsonrpc: '2.0', id: {}, method: 'ping' },
      { jsonrpc: '2.0', id: 1, method: 'x'.repeat(200) },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
      expect([JSON.stringify(body).slice(0, 60), (await sent(body)).status]).toEqual([
        JSON.stringify(body).slice(0, 60),
        422,
      ]);
    expect((await sent(PING, { accept: 'application/json' })).status).toBe(406);
    expect(await mcp.call('list_threads', { limit: 100 })).not.toMatchObject({ threads: [{ title: long }] });
    expect(service.model.requests).toEqual([]);
  });

  it('[mcp-server.bounds] that asks for what there is not gets an error of the protocol', async () => {
    expect(await (await sent({ ...PING, method: 'tools/destroy' })).text()).toContain('"code":-32601');
    const unknown = { ...PING, method: 'tools/call', params: { name: 'rm_rf', arguments: {} } };
    expect(await (await sent(unknown)).text()).toContain('"code":-32602');
    expect(await mcp.refusal('get_run', { run_id: 7 })).toContain('run_id');
    expect(await mcp.refusal('get_run', { run_id: 'x', wait_seconds: 1e9 })).toContain('wait_seconds');
    expect(await mcp.refusal('read_thread', { thread_id: 'x', limit: 51 })).toContain('limit');
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index]));
    expect(await mcp.refusal('list_agents', { many: [many] })).toMatch(/elements|large|limit/i);
  });

  it('[mcp-server.bounds] that would keep a stream open for nothing is refused', async () => {
    const newest = await connectMcp(service, key, { mode: 'auto' });
    await expect(newest.client.listen({ toolsListChanged: true })).rejects.toThrow();
  });

  it('[mcp-server.stateless] needs no session, and takes any', async () => {
    const begun = await sent(INITIALIZE, { 'mcp-session-id': 'unknown' });
    expect(begun.status).toBe(200);
    const session = begun.headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('unknown');
    for (const headers of [{}, { 'mcp-session-id': session }, { 'mcp-session-id': 'ended long ago' }])
      expect((await sent(PING, headers)).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: `Bearer ${key}`, accept: ACCEPT };
      const refused = await service.client().send(method, '/mcp', { headers });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});

it('[mcp-server.streams] the oldest wait of a user ends for one more than the limit', async () => {
  const { run_id } = await halfARun();
  const wait = () => sent(call('get_run', { run_id, wait_seconds: 600 }));
  const [oldest, second, third] = [await wait(), await wait(), await wait()];
  expect(await oldest.text()).toContain('Too many streams are open.');
  await mcp.call('cancel_run', { run_id });
  for (const other of [second, third]) expect(await other.text()).toContain('interrupted_by_user');
});

it('[mcp-server.errors] [mcp-server.log] a failure says nothing of its cause, and is one line in the log', async () => {
  const storage = await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG, now: Date.now });
  const failing = { search: () => Promise.reject(new Error('CANARY /srv')) };
  let isBroken = true;
  const lines: { level: string; fields: object; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const broken = await openTestService({
    overrides: {
      log: { debug() {}, info: at('info'), warn: at('warn'), error: at('error') },
      storage: {
        ...storage,
        as(owner) {
          const { threads, ...others } = storage.as(owner);
          return { ...others, threads: { ...threads, ...(isBroken ? failing : {}) } };
        },
      },
    },
  });
  try {
    const client = await connectMcp(broken, (await makeKey(await broken.user())).key);
    expect(await client.refusal('list_threads')).toBe('The service could not do this. Try again.');
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ fields: { err: expect.any(Error) } }]);
    const request = { method: 'POST', path: '/mcp', status: 200 };
    expect(lines).toContainEqual({
      level: 'info',
      message: 'Request',
      fields: expect.objectContaining(request),
    });
    expect(JSON.stringify(lines)).not.toContain('list_threads');
  } finally {
    isBroken = false;
    await broken.close();
  }
});
