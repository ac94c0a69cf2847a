// The configuration of tool servers: access, storage, and validation.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signInAdministrator } from '../support/administrator.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { listen } from './remote-server.ts';
import { hostile } from './tool-servers.ts';

const MEMORY = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };
const REMOTE = { type: 'http', url: 'https://tools.example.com/mcp' };

type Entry = Record<string, unknown>;

let service: TestService;
let admin: HttpClient;
let file: string;

beforeAll(async () => {
  service = await openTestService({
    variables: ['SEARCH_KEY'],
    overrides: {
      environment: {
        GITHUB_TOKEN: 'CANARY-variable',
        OPENAI_API_KEY: 'CANARY-model',
        SEARCH_KEY: 'CANARY-search',
      },
    },
  });
  admin = await signInAdministrator(service);
  file = join(service.dataHome, 'mcp.json');
});
afterAll(() => service.close());
beforeEach(async () => {
  expect((await put({})).status).toBe(200);
});

const put = (mcpServers: Record<string, unknown>) => admin.put('/api/mcp/config', { mcpServers });

async function shown(): Promise<Record<string, Entry>> {
  return (await bodyOf<{ mcpServers: Record<string, Entry> }>(await admin.get('/api/mcp/config'))).mcpServers;
}

async function stored(): Promise<Record<string, Entry>> {
  return JSON.parse(await readFile(file, 'utf8')).mcpServers;
}

describe('the configuration of tool servers', () => {
  it('[mcp.config.get] [mcp.config.put] can be written, and read with the fields of the contract', async () => {
    const answer = await put({ memory: { ...MEMORY, env: { LEVEL: 'debug' }, description: 'Remembers' } });
    expect(await bodyOf(answer)).toEqual({ success: true, message: expect.stringContaining('saved') });
    expect((await shown()).memory).toMatchObject({
      enabled: true,
      type: 'stdio',
      command: 'npx',
      args: MEMORY.args,
      env: { LEVEL: '***' },
      description: 'Remembers',
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('[mcp.config.get] [hostile.S47] shows no secret, in any field', async () => {
    await put({
      local: {
        ...MEMORY,
        env: { KEY: 'CANARY-1' },
        x_extension: { api_key: 'CANARY-2', deep: [{ token: 'CANARY-3' }] },
      },
      remote: {
        ...REMOTE,
        url: 'https://tools.example.com/mcp?key=CANARY-4&plain',
        headers: { Authorization: 'Bearer CANARY-5' },
        oauth: {
          grant_type: 'client_credentials',
          token_url: 'https://login.example.com/token',
          client_id: 'service',
          client_secret: 'CANARY-6',
          extra_token_params: { pin: 'CANARY-7' },
        },
      },
    });
    const text = await (await admin.get('/api/mcp/config')).text();
    expect(text).not.toContain('CANARY');
    const { remote } = await shown();
    expect(remote).toMatchObject({
      url: 'https://tools.example.com/mcp?key=***&plain',
      headers: { Authorization: '***' },
      oauth: { client_id: 'service', client_secret: '***', token_url: 'https://login.example.com/token' },
    });
  });

  it('[mcp.config.put] keeps the stored value where the mask is written back', async () => {
    const local = { ...MEMORY, env: { KEY: 'CANARY-1' }, tools: { read_graph: { effect: 'read' } } };
    const remote = {
      ...REMOTE,
      url: `${REMOTE.url}?key=CANARY-2`,
      headers: { 'X-Key': 'CANARY-3' },
      x_own: [1],
    };
    await put({ local, remote });
    const { tools: _, ...rest } = (await shown()).local ?? {};
    expect((await put({ ...(await shown()), local: { ...rest, description: 'new' } })).status).toBe(200);
    expect(await stored()).toMatchObject({
      local: { env: local.env, tools: local.tools, description: 'new' },
      remote: { url: remote.url, headers: remote.headers, x_own: [1] },
    });
  });

  it('[mcp.config.put] refuses the mask where no value is stored', async () => {
    await put({
      local: { ...MEMORY, env: { KEY: 'CANARY-1' } },
      remote: { ...REMOTE, url: `${REMOTE.url}?key=CANARY-2` },
    });
    const before = await stored();
    const other = await put({ local: { ...MEMORY, env: { OTHER: '***' } } });
    expect(other.status).toBe(400);
    expect(await detailOf(other)).toContain(
      "Cannot set env key 'OTHER' to masked value '***'; provide a real value.",
    );
    // Another address does not get the key of this one.
    expect(
      (await put({ remote: { type: 'http', url: 'https://evil.example.com/mcp?key=***' } })).status,
    ).toBe(400);
    expect(await stored()).toEqual(before);
  });

  it('[mcp.config.put] keeps no header for another host, and no secret for another token address', async () => {
    const oauth = {
      grant_type: 'client_credentials',
      token_url: 'https://login.example.com/token',
      client_id: 'service',
      client_secret: 'CANARY-2',
    };
    await put({
      keyed: { ...REMOTE, headers: { Authorization: 'CANARY-1' } },
      account: { ...REMOTE, oauth },
    });
    const before = await stored();
    const masked = await shown();
    const evil = 'https://evil.example.com/mcp';
    expect((await put({ ...masked, keyed: { ...masked.keyed, url: evil } })).status).toBe(400);
    expect((await put({ ...masked, account: { ...masked.account, url: evil } })).status).toBe(400);
    const elsewhere = { ...oauth, token_url: 'https://evil.example.com/token', client_secret: '***' };
    expect((await put({ ...masked, account: { ...masked.account, oauth: elsewhere } })).status).toBe(400);
    expect(await stored()).toEqual(before);
    const moved = { ...masked.keyed, url: `${REMOTE.url}/v2` };
    expect((await put({ ...masked, keyed: moved })).status).toBe(200);
  });

  it('[mcp.config.reference] shows references to variables as they are', async () => {
    const env = { TOKEN: '$GITHUB_TOKEN' };
    await put({
      local: { ...MEMORY, env },
      remote: { ...REMOTE, headers: { Authorization: 'Bearer $GITHUB_TOKEN' } },
    });
    expect((await shown()).local?.env).toEqual(env);
    expect((await shown()).remote?.headers).toEqual({ Authorization: 'Bearer $GITHUB_TOKEN' });
  });

  it.each(['OPENAI_API_KEY', 'SEARCH_KEY', 'AUTH_JWT_SECRET'])(
    "[mcp.config.reference] gives no server $%s, which is part of the service's own configuration",
    async (name) => {
      await put({ remote: { ...REMOTE, headers: { 'X-Key': `$${name}` } } });
      const { servers } = await bodyOf<{ servers: { reason: string | null }[] }>(
        await admin.get('/api/mcp/servers'),
      );
      expect(servers[0]?.reason).toContain(`$${name} may not be used here`);
    },
  );

  it('[mcp.config.admin] is for administrators only', async () => {
    const ann = await service.user('ann');
    expect((await ann.get('/api/mcp/config')).status).toBe(403);
    expect((await ann.put('/api/mcp/config', { mcpServers: {} })).status).toBe(403);
  });

  it.each<[string, Entry]>([
    ['another program', { command: 'bash', args: ['server.sh'] }],
    ['a program by its path', { command: '/usr/bin/node', args: ['server.js'] }],
    ['code of node', { command: 'node', args: ['-e', 'process.exit()'] }],
    ['code of node behind a flag', { command: 'node', args: ['--title', 'x', '--eval=1'] }],
    ['a module that node loads first', { command: 'node', args: ['--import', './x.js', 'server.js'] }],
    ['code of python', { command: 'python3', args: ['-c', 'print(1)'] }],
    ['a command of npx', { command: 'npx', args: ['-y', '-c', 'id'] }],
    ['options of node', { ...MEMORY, env: { NODE_OPTIONS: '--require ./x.js' } }],
    ['a library', { ...MEMORY, env: { LD_PRELOAD: './x.so' } }],
    ['a registry', { ...MEMORY, env: { npm_config_registry: 'https://evil.example.com' } }],
  ])('[mcp.config.allowlist] [hostile.S46] refuses %s', async (_, entry) => {
    expect((await put({ local: entry })).status).toBe(400);
    expect(await stored()).toEqual({});
    expect((await put({ local: { ...entry, enabled: false } })).status).toBe(200);
  });

  it.each<[string, Entry]>([
    ['a package', MEMORY],
    [
      'a script with flags of its own',
      { command: 'node', args: ['--no-warnings', 'server.js', '-e', 'production'] },
    ],
    ['a module', { command: 'python3', args: ['-u', '-m', 'some_server', '-c', 'x'] }],
    ['a package under another name', { command: 'uvx', args: ['--from', 'git-tools', 'mcp-git'] }],
  ])('[mcp.config.allowlist] accepts %s', async (_, entry) => {
    expect((await put({ local: entry })).status).toBe(200);
  });

  it.each<[number, string, Record<string, unknown>]>([
    [422, 'a name with a slash', { 'a/b': MEMORY }],
    [422, 'names that differ in case only', { memory: MEMORY, Memory: MEMORY }],
    [422, 'a wrong type', { local: { ...MEMORY, type: 'carrier pigeon' } }],
    [422, 'arguments that are no texts', { local: { ...MEMORY, args: [1] } }],
    [422, 'a variable with a strange name', { local: { ...MEMORY, env: { 'A=B': 'x' } } }],
    [422, 'a header with two lines', { remote: { ...REMOTE, headers: { 'X-Key': 'a\r\nHost: b' } } }],
    [422, 'a timeout of a year', { local: { ...MEMORY, tool_call_timeout: 31_536_000 } }],
    [422, 'an effect that there is not', { local: { ...MEMORY, tools: { x: { effect: 'twice' } } } }],
    [422, 'an entry that is a text', { local: 'npx' }],
    [400, 'no command', { local: {} }],
    [400, 'no address', { remote: { type: 'http' } }],
    [400, 'another protocol', { remote: { type: 'http', url: 'file:///etc/passwd' } }],
    [
      400,
      'credentials in an address',
      { remote: { type: 'http', url: 'https://me:secret@tools.example.com/' } },
    ],
    [400, 'the credentials of a cloud', { remote: { type: 'http', url: 'http://169.254.169.254/mcp' } }],
    [400, 'a cloud by name', { remote: { type: 'http', url: 'http://metadata.google.internal/' } }],
    [
      400,
      'a cloud by a longer name',
      { remote: { type: 'http', url: 'http://x.Metadata.Google.Internal./' } },
    ],
    [400, 'a header of the transport', { remote: { ...REMOTE, headers: { Host: 'other.example.com' } } }],
    [
      400,
      'an account without a secret',
      { remote: { ...REMOTE, oauth: { grant_type: 'client_credentials' } } },
    ],
    [413, 'a huge entry', { local: { ...MEMORY, x: 'x'.repeat(100_000) } }],
  ])('[mcp.config.whole] returns %i for %s and writes nothing', async (status, _, servers) => {
    const answer = await put({ right: MEMORY, ...servers });
    expect(answer.status).toBe(status);
    expect(await stored()).toEqual({});
  });

  it('[mcp.config.whole] has a limited number of servers', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`server${index}`, MEMORY]));
    expect((await put(many)).status).toBe(422);
    expect((await admin.put('/api/mcp/config', {})).status).toBe(422);
  });

  it('[mcp.config.reload] reads a file that an operator edited, and reports when it is broken', async () => {
    const other = {
      mcpServers: { byHand: { ...REMOTE, transport: 'sse', type: undefined } },
      theirs: { a: 1 },
    };
    await writeFile(file, JSON.stringify(other));
    expect((await shown()).byHand).toMatchObject({ type: 'sse', url: REMOTE.url });
    await put({ memory: MEMORY });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theirs: { a: 1 } });

    await writeFile(file, '{"mcpServers": ');
    const answer = await admin.get('/api/mcp/config');
    expect(answer.status).toBe(409);
    expect(await detailOf(answer)).toContain('mcp.json');
    await writeFile(file, '{}');
  });

  it('[mcp.config.test] shows the last output of a program, and no part of a secret', async () => {
    // The stored part of its output begins in the middle of the secret.
    const env = { SECRET: 'CANARY-'.repeat(200) };
    await put({ wordy: { ...hostile('exit', 'wordy'), env } });
    const answer = await admin.post('/api/mcp/servers/wordy/test');
    expect(answer.status).toBe(200);
    const { success, message } = await bodyOf<{ success: boolean; message: string }>(answer);
    expect(success).toBe(false);
    expect(message).toContain('the key is ***');
    expect(message).not.toContain('ANARY');
  });

  it('[mcp.config.test] ends when its client disconnects', async () => {
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const silent = await listen((_request, response) => {
      response.once('close', gone.resolve);
      asked.resolve();
    });
    await put({ silent: { type: 'http', url: silent.url, session_init_timeout: 3_600 } });
    const client = new AbortController();
    const test = admin.send('POST', '/api/mcp/servers/silent/test', { signal: client.signal });
    await asked.promise;
    client.abort();
    await gone.promise;
    expect(await bodyOf(await test)).toMatchObject({ success: false, tools: [] });
    silent.close();
  });

  it('[mcp.config.audit] is audited without values, and only if it changed', async () => {
    await put({ kept: MEMORY, changed: { ...MEMORY, env: { KEY: 'CANARY-1' } } });
    await put({ kept: MEMORY, changed: { ...MEMORY, env: { KEY: 'CANARY-2' } }, added: REMOTE });
    await put({ kept: MEMORY, changed: { ...MEMORY, env: { KEY: '***' } }, added: REMOTE });
    const answer = await admin.get('/api/audit?act=mcp_change&limit=1');
    const [entry] = (await bodyOf<{ data: { details: object; actor: string }[] }>(answer)).data;
    expect(entry?.details).toEqual({ added: ['added'], removed: [], changed: ['changed'] });
    expect(entry?.actor).not.toBeNull();
  });
});
