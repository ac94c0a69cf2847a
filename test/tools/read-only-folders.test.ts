// Read-only folders beside the thread's files, in ls, read_file, glob and grep.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/messages/message.ts';
import { createFileTools } from '../../src/tools/file-tools.ts';
import { createSearchTools } from '../../src/tools/search-tools.ts';
import { createImageStore } from '../../src/workspace/images/image-store.ts';
import { withReadOnlyFolders } from '../../src/workspace/read-only/with-read-only-folders.ts';
import { createWorkspaceSearch } from '../../src/workspace/search/workspace-search.ts';
import { createWorkspaceFiles } from '../../src/workspace/workspace-files.ts';
import { freePlaces } from '../support/free-places.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';
import { runTool } from './run-tool.ts';

const FILES = {
  'public/report/SKILL.md': 'write a report\n',
  'public/report/scripts/make.py': 'print("report")\n',
  'custom/plan/SKILL.md': 'write a plan\n',
  'public/off/SKILL.md': 'nobody sees this\n',
};

/** Opens the tools of Ada, who sees two of the three folders, both with links that lead out. */
async function open() {
  const [dataHome, beside] = [await temporaryFolder(), await temporaryFolder()];
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(beside, path)), { recursive: true });
    await writeFile(join(beside, path), text);
  }
  await writeFile(join(beside, 'public/report/data.bin'), Buffer.from([1, 0, 2]));
  await symlink(join(beside, 'public/off'), join(beside, 'public/report/folder'));
  await symlink(join(beside, 'public/off/SKILL.md'), join(beside, 'public/report/file.md'));
  await symlink(join(beside, 'public/off'), join(beside, 'custom/linked'));
  const seen = ['public/report', 'custom/plan', 'custom/linked'].map((name) => ({
    virtual: `/mnt/beside/${name}`,
    real: join(beside, name),
  }));
  const readOnly = {
    root: '/mnt/beside',
    of: async (userId: string | null) => (userId === 'ada' ? seen : []),
    missing: (path: string) => `Nothing is at ${path}.`,
  };
  const files = createWorkspaceFiles({ dataHome })({ userId: 'ada', threadId: 't1' });
  const tools = [
    ...createFileTools({
      filesFor: ({ userId }) => withReadOnlyFolders(files, readOnly, userId),
      images: createImageStore({ dataHome, newId: () => 'id' }),
    }),
    ...createSearchTools(createWorkspaceSearch({ dataHome, places: freePlaces(), readOnly })),
  ];
  return async (name: string, args: JsonObject) => {
    const tool = tools.find((it) => it.name === name);
    if (tool === undefined) throw new Error(name);
    const outcome = await runTool(tool, args);
    return outcome.kind === 'failure' ? outcome.message : outcome.content;
  };
}

it('[tools.read_only] ls shows them, and their parents, but none of another user or that is off', async () => {
  const call = await open();
  expect(await call('ls', { path: '/mnt/beside' })).toBe(
    '/mnt/beside/custom/\n/mnt/beside/custom/linked/\n/mnt/beside/custom/plan/\n' +
      '/mnt/beside/public/\n/mnt/beside/public/report/',
  );
  expect(await call('ls', { path: '/mnt/beside/public/' })).toMatch(
    /^\/mnt\/beside\/public\/report\/\n\/mnt\/beside\/public\/report\/SKILL\.md\n/,
  );
  expect(await call('ls', { path: '/mnt/beside/public/report/scripts' })).toBe(
    '/mnt/beside/public/report/scripts/make.py',
  );
  expect(await call('ls', { path: '/mnt/beside/public/off' })).toBe(
    'Error: Nothing is at /mnt/beside/public/off.',
  );
});

it('[tools.read_only] read_file reads their files, and reports unreadable ones', async () => {
  const call = await open();
  const read = (path: string) => call('read_file', { path: `/mnt/beside/${path}` });
  expect(await read('public/report/SKILL.md')).toBe('write a report\n');
  expect(await read('public/off/SKILL.md')).toBe('Error: Nothing is at /mnt/beside/public/off/SKILL.md.');
  expect(await read('public/report/data.bin')).toMatch(/^Error: .* is a binary file/);
  expect(await read('public/report/none.md')).toMatch(/^Error: No such file or folder: .*none\.md$/);
  for (const folder of ['', 'public', 'public/report', 'public/report/scripts'])
    expect([folder, await read(folder)]).toEqual([folder, expect.stringMatching(/^Error: .*folder/)]);
  for (const link of ['public/report/file.md', 'public/report/folder/SKILL.md', 'custom/linked/SKILL.md'])
    expect([link, await read(link)]).toEqual([link, expect.stringMatching(/^Error: .*link/)]);
  for (const path of ['public/report/../off/SKILL.md', 'public//off', 'public/off\\SKILL.md'])
    expect([path, await read(path)]).toEqual([path, expect.stringMatching(/^Error: The path/)]);
});

it('[tools.read_only] glob and grep search one, all, or a file of them', async () => {
  const call = await open();
  expect(await call('glob', { pattern: 'SKILL.md', path: '/mnt/beside' })).toBe(
    'Found 2 paths under /mnt/beside\n1. /mnt/beside/public/report/SKILL.md\n2. /mnt/beside/custom/plan/SKILL.md',
  );
  expect(await call('glob', { pattern: 'report/scripts/*', path: '/mnt/beside/public' })).toContain(
    '1. /mnt/beside/public/report/scripts/make.py',
  );
  expect(await call('grep', { pattern: 'write|nobody', path: '/mnt/beside' })).toBe(
    '/mnt/beside/public/report/SKILL.md:1: write a report\n/mnt/beside/custom/plan/SKILL.md:1: write a plan',
  );
  expect(await call('grep', { pattern: 'plan', path: '/mnt/beside/custom/plan/SKILL.md' })).toBe(
    '/mnt/beside/custom/plan/SKILL.md:1: write a plan',
  );
  expect(await call('grep', { pattern: 'x', path: '/mnt/beside/public/off' })).toBe(
    'Error: Nothing is at /mnt/beside/public/off.',
  );
  expect(await call('grep', { pattern: 'x', path: '/mnt/beside/public/report/folder' })).toMatch(
    /^Error: .*link/,
  );
});

it('[tools.read_only] write_file and str_replace change nothing there, and advise what to do', async () => {
  const call = await open();
  const path = '/mnt/beside/custom/plan/SKILL.md';
  expect(await call('write_file', { path, content: 'mine' })).toMatch(
    /^Error: .* can only be read\. Write a copy of it under \/mnt\/user-data\/workspace instead\.$/,
  );
  expect(await call('str_replace', { path, old_str: 'plan', new_str: 'mine' })).toMatch(
    /^Error: .* can only be read/,
  );
  expect(await call('read_file', { path })).toBe('write a plan\n');
});
