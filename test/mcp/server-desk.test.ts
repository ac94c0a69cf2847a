// The test of a tool server that fails unexpectedly, and approvals of tools as they were shown.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createServerDesk } from '../../src/mcp/server-desk.ts';
import { createPins } from '../../src/mcp/tools/pins.ts';
import { createToolListReader } from '../../src/mcp/tools/read-tool-list.ts';
import { ToolLists } from '../../src/mcp/tools/tool-lists.ts';
import { remotePool, remoteServer } from './remote-server.ts';

const remote = remoteServer({ url: 'http://127.0.0.1:9' });

/** Opens a desk with servers that cannot be reached. */
function openDesk(dataHome: string, servers = [remote]) {
  const [pool, readTools] = [remotePool(), createToolListReader()];
  const now = () => 0;
  const isPersonal = () => false;
  const warn = vi.fn();
  const lists = new ToolLists({ dataHome, pool, readTools, isPersonal, now });
  const desk = createServerDesk({
    servers: async () => new Map(servers.map((server) => [server.name, server])),
    pool,
    lists,
    pins: createPins(dataHome),
    isPersonal,
    open: () => Promise.reject(new RangeError('Maximum call stack size exceeded')),
    readTools,
    takenNames: new Set(),
    log: { warn },
    now,
  });
  /** Makes the server list this tool. */
  const says = (description: string, { server = remote, name = 'greet' } = {}) => {
    const inputSchema = { type: 'object', properties: {} };
    const tool = { name, title: undefined, description, inputSchema, digest: description };
    const list = { tools: [tool], leftOut: [], resources: false, prompts: false, characters: 50 };
    return lists.learn(server, 'user-1', list);
  };
  return { desk, warn, says, pool };
}

it('[mcp.config.test] reports that the server could not be read, and logs why', async () => {
  const { desk, warn } = openDesk('/nowhere');
  const trial = await desk.test('remote', 'user-1', new AbortController().signal);
  expect(trial).toMatchObject({
    success: false,
    message: expect.stringContaining('could not be read'),
    tools: [],
  });
  expect(warn).toHaveBeenCalledOnce();
});

it('[mcp.tools.pins] approves what was shown, and nothing that replaced it', async () => {
  const dataHome = await mkdtemp(join(tmpdir(), 'desk-'));
  onTestFinished(() => rm(dataHome, { recursive: true }));
  const { desk, says } = openDesk(dataHome);
  const tool = async () => (await desk.statuses('user-1')).at(0)?.tools.at(0);
  await says('Greets.');
  expect(await tool()).toMatchObject({ state: 'approved', change: undefined });
  await says('Greets well.');
  const digests = { greet: (await tool())?.change?.digest ?? '' };
  await says('Greets, and reads all files.');
  const approve = () => desk.approve('remote', { tools: ['greet'], digests }, 'user-1');
  await expect(approve()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining("The server has changed 'greet' again."),
  });
  expect(await tool()).toMatchObject({ state: 'changed' });
  await says('Greets well.');
  expect((await approve()).tools).toMatchObject([{ state: 'approved' }]);
});

it('[mcp.tools.names] a failing server keeps the names of its tools', async () => {
  const dataHome = await mkdtemp(join(tmpdir(), 'desk-'));
  onTestFinished(() => rm(dataHome, { recursive: true }));
  const [first, second] = [
    { ...remote, name: 'notes', version: 'notes' },
    { ...remote, name: 'notes_old', version: 'notes_old' },
  ];
  const { desk, says, pool } = openDesk(dataHome, [first, second]);
  onTestFinished(() => pool.close());
  await says('Reads.', { server: first, name: 'old_read' });
  await says('Reads what is old.', { server: second, name: 'read' });
  const names = async () => (await desk.statuses('user-1')).map(({ tools }) => tools.map(({ name }) => name));
  const hashed = expect.stringMatching(/^notes_old_read_[0-9a-f]{6}$/);
  expect(await names()).toEqual([['notes_old_read'], [hashed]]);
  for (let attempt = 0; attempt < 3; attempt += 1)
    await pool.use(first, 'user-1', async () => undefined).catch(() => undefined);
  expect(await names()).toEqual([[], [hashed]]);
});
