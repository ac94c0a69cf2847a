// Tools of connected servers in runs: offered, called, and their results.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWN_TOOL_NAMES } from '../../src/tools/own-tool-names.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';
import {
  EVERYTHING,
  FILESYSTEM,
  type HttpServerProcess,
  MEMORY,
  startEverything,
  untilListed,
  writeServers,
} from './tool-servers.ts';

const own: string[] = [];

let runs: ToolRuns;
let remote: HttpServerProcess;
let older: HttpServerProcess;

beforeAll(async () => {
  [remote, older] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')]);
  const tools = (given: readonly Tool[]) => {
    own.push(...given.map(({ name }) => name));
    return given;
  };
  runs = await openToolRuns({ overrides: { tools } });
  await writeServers(runs.test.dataHome, {
    local: EVERYTHING,
    files: FILESYSTEM,
    memory: MEMORY,
    remote: { type: 'http', url: remote.url, oauth: { enabled: false } },
    older: { type: 'sse', url: older.url, oauth: { enabled: false }, allowed_tools: ['echo'] },
  });
  await runs.call({ name: 'ls', args: { path: '/mnt/user-data' } });
  await untilListed(runs.test.dataHome, 5);
});
afterAll(async () => {
  await runs.close();
  remote.close();
  older.close();
});

describe('tool servers in runs', () => {
  it('[mcp.tools.stdio] calls a tool of a program', async () => {
    expect(await runs.call({ name: 'local_echo', args: { message: 'honey' } })).toEqual([
      { status: 'success', text: 'Echo: honey' },
    ]);
  });

  it('[mcp.tools.stdio] gives a program a home folder of the user, which keeps its files', async () => {
    const note = { path: 'note.txt', content: 'buy milk' };
    expect(await runs.call({ name: 'files_write_file', args: note })).toMatchObject([{ status: 'success' }]);
    expect(await runs.call({ name: 'files_read_text_file', args: { path: 'note.txt' } })).toMatchObject([
      { status: 'success', text: expect.stringContaining('buy milk') },
    ]);
    const entities = [{ name: 'honey', entityType: 'food', observations: ['sweet'] }];
    expect(await runs.call({ name: 'memory_create_entities', args: { entities } })).toMatchObject([
      { status: 'success' },
    ]);
    expect(await runs.call({ name: 'memory_read_graph', args: {} })).toMatchObject([
      { status: 'success', text: expect.stringContaining('sweet') },
    ]);
  });

  it('[mcp.tools.names] knows all names that tools of servers must not have', () => {
    expect(own.filter((name) => !OWN_TOOL_NAMES.has(name))).toEqual([]);
    expect(own).toContain('read_file');
  });

  it('[mcp.tools.http] calls a tool of a remote server', async () => {
    expect(await runs.call({ name: 'remote_get-sum', args: { a: 2, b: 40 } })).toEqual([
      { status: 'success', text: expect.stringContaining('42') },
    ]);
  });

  it('[mcp.tools.http] calls a tool of a server with the older transport, and offers only allowed ones', async () => {
    expect(await runs.call({ name: 'older_echo', args: { message: 'tea' } })).toEqual([
      { status: 'success', text: 'Echo: tea' },
    ]);
    expect(await runs.call({ name: 'older_get-sum', args: { a: 1, b: 2 } })).toMatchObject([
      { status: 'error', text: expect.stringContaining("there is no tool named 'older_get-sum'") },
    ]);
  });

  it('[mcp.materials] lists and reads resources, and gives prompts', async () => {
    const [resources] = await runs.call({ name: 'list_mcp_resources', args: { server: 'local' } });
    const uri = /- (\S+):\/\/(\S+?):? /.exec(resources?.text ?? '');
    expect(resources?.text).toContain('://');
    expect(uri).not.toBeNull();
    const [prompts] = await runs.call({ name: 'list_mcp_prompts', args: { server: 'local' } });
    expect(prompts?.text).toContain('simple-prompt');
    const [prompt] = await runs.call({
      name: 'get_mcp_prompt',
      args: { server: 'local', name: 'simple-prompt' },
    });
    expect(prompt).toMatchObject({ status: 'success', text: expect.stringContaining('user: ') });
    expect(await runs.call({ name: 'list_mcp_prompts', args: { server: 'nobody' } })).toEqual([
      { status: 'error', text: expect.stringContaining("There is no tool server 'nobody' for this.") },
    ]);
  });
});
