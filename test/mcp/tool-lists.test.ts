// Cached lists of tools: read in turns, read again after a change, and bounded in memory.

import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createToolListReader } from '../../src/mcp/tools/read-tool-list.ts';
import { type KnownList, ToolLists } from '../../src/mcp/tools/tool-lists.ts';
import { answerJson, remotePool, remoteServer, startRemote } from './remote-server.ts';
import { untilListed } from './tool-servers.ts';

const ends: (() => unknown)[] = [];
let dataHome: string;
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'tool-lists-'));
  ends.push(() => rm(dataHome, { recursive: true }));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function listsOf(mostBytes = 1_000_000) {
  const pool = remotePool();
  const parts = { dataHome, pool, readTools: createToolListReader(), isPersonal: () => false, now: () => 1 };
  const lists = new ToolLists({ ...parts, mostBytes });
  ends.push(
    () => pool.close(),
    () => lists.stop(),
  );
  return lists;
}

/** Starts a server whose tools are named by its header. */
async function startNaming() {
  const remote = await startRemote(({ id }, response) => {
    const name = String(response.req.headers['x-name']);
    answerJson(response, id, { tools: [{ name, description: 'x'.repeat(1_000) }] });
  });
  ends.push(remote.close);
  return (name: string, header: string) => ({
    ...remoteServer({ url: remote.url, headers: { 'x-name': header } }, `${name}-${header}`),
    name,
  });
}

const namesIn = (known: KnownList) =>
  known.kind === 'known' ? known.list.tools.map(({ name }) => name) : known.kind;

it('[mcp.tools.lists] many new servers are all read, a few at a time, and delay no other request', async () => {
  const held: (() => void)[] = [];
  let isOpen = false;
  const remote = await startRemote(({ id }, response: ServerResponse) => {
    const release = () => answerJson(response, id, { tools: [{ name: 'works' }] });
    if (isOpen) release();
    else held.push(release);
  });
  ends.push(remote.close);
  const lists = listsOf();
  const server = (name: string) => ({ ...remoteServer({ url: remote.url }, name), name });
  const many = Array.from({ length: 60 }, (_, index) => server(`many-${index}`));
  await Promise.all(many.map((it) => lists.known(it, 'user-1')));
  await vi.waitFor(() => expect(held).toHaveLength(4));
  await lists.known(server('other'), 'user-2');
  await vi.waitFor(() => expect(held).toHaveLength(5));
  isOpen = true;
  for (const release of held) release();
  await vi.waitFor(
    async () => {
      const known = await Promise.all(many.map((it) => lists.known(it, 'user-1')));
      expect(new Set(known.map(({ kind }) => kind))).toEqual(new Set(['known']));
    },
    { timeout: 30_000 },
  );
});

it('[mcp.tools.lists] a server with a new header is read again, also after a restart', async () => {
  const server = await startNaming();
  const lists = listsOf();
  const knows = (given: typeof lists, header: string, name: string) =>
    vi.waitFor(async () => expect(namesIn(await given.known(server('a', header), 'user-1'))).toEqual([name]));
  await knows(lists, 'one', 'one');
  await untilListed(dataHome, 1);
  // The old list remains until the new one is read.
  expect(namesIn(await lists.known(server('a', 'two'), 'user-1'))).toEqual(['one']);
  await knows(lists, 'two', 'two');
  await lists.stop();
  const later = listsOf();
  expect(namesIn(await later.known(server('a', 'two'), 'user-1'))).toEqual(['two']);
  expect(namesIn(await later.known(server('a', 'three'), 'user-1'))).toEqual(['two']);
  await knows(later, 'three', 'three');
});

it('[mcp.tools.lists] keeps as many lists in memory as fit', async () => {
  const server = await startNaming();
  const lists = listsOf(10_000);
  const names = ['a', 'b', 'c'];
  const known = (name: string) => lists.known(server(name, name), 'user-1');
  for (const name of names) await vi.waitFor(async () => expect(namesIn(await known(name))).toEqual([name]));
  await untilListed(dataHome, 3);
  await rm(join(dataHome, 'mcp'), { recursive: true });
  // Two lists of 4 KB are in memory. The first one is not, and its file is gone.
  expect(namesIn(await known('c'))).toEqual(['c']);
  expect(namesIn(await known('b'))).toEqual(['b']);
  expect(namesIn(await known('a'))).toBe('reading');
});
