// glob and grep over a thread's files.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/messages/message.ts';
import { createSearchTools } from '../../src/tools/search-tools.ts';
import { createWorkspaceSearch } from '../../src/workspace/search/workspace-search.ts';
import { freePlaces } from '../support/free-places.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';
import { runTool } from './run-tool.ts';

const FILES = {
  'workspace/a.ts': 'const answer = 42;\nexport { answer };\n',
  'workspace/src/b.ts': 'import { answer } from "../a";\r\nconsole.log(ANSWER)\r\n',
  'workspace/src/deep/c.md': `# Title\n${'long '.repeat(100)}answer\n`,
  'workspace/node_modules/x/index.ts': 'answer',
  'uploads/data.csv': 'x,y\n1,2\n',
};

/** Opens `glob` and `grep` over Ada's thread, with results as the model sees them. */
async function open(timeoutMs?: number) {
  const dataHome = await temporaryFolder();
  const root = join(dataHome, 'users', 'ada', 'threads', 't1', 'user-data');
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await writeFile(join(root, 'workspace', 'photo.png'), Buffer.from([1, 0, 2]));
  await writeFile(join(dataHome, 'secret.ts'), 'answer');
  await symlink(join(dataHome, 'secret.ts'), join(root, 'workspace', 'link.ts'));
  await symlink(dataHome, join(root, 'workspace', 'home'));
  const places = freePlaces();
  const search = createWorkspaceSearch({
    dataHome,
    places,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const tools = createSearchTools(search);
  const call = async (name: string, args: JsonObject) => {
    const tool = tools.find((it) => it.name === name);
    if (tool === undefined) throw new Error(name);
    const outcome = await runTool(tool, { path: '/mnt/user-data/workspace', ...args });
    return outcome.kind === 'failure' ? outcome.message : outcome.content;
  };
  return { call, root };
}

const at = (path: string) => `/mnt/user-data/workspace/${path}`;

it('[tools.glob] finds files by name or path, sorted, up to the requested number', async () => {
  const { call } = await open();
  expect(await call('glob', { pattern: 'src/**/*.{ts,md}' })).toBe(
    `Found 2 paths under /mnt/user-data/workspace\n1. ${at('src/b.ts')}\n2. ${at('src/deep/c.md')}`,
  );
  expect(await call('glob', { pattern: '*.ts', max_results: 1 })).toMatch(
    /^Found 1 paths .*\n1\. .*a\.ts\n\.\.\. \[there is more/,
  );
  expect(await call('glob', { pattern: '*', include_dirs: true, path: '/mnt/user-data' })).toContain(
    '/mnt/user-data/uploads/\n',
  );
  expect(await call('glob', { pattern: '*.rs' })).toBe('No files matched under /mnt/user-data/workspace');
  expect(await call('glob', { pattern: '*', path: '/mnt/user-data/outputs' })).toMatch(/^No files/);
});

it('[tools.grep] finds lines in the requested files, ignoring case unless requested', async () => {
  const { call } = await open();
  expect(await call('grep', { pattern: '(const|export|log).*answer' })).toBe(
    `${at('a.ts')}:1: const answer = 42;\n${at('a.ts')}:2: export { answer };\n${at('src/b.ts')}:2: console.log(ANSWER)`,
  );
  expect(await call('grep', { pattern: 'ANSWER', case_sensitive: true })).toBe(
    `${at('src/b.ts')}:2: console.log(ANSWER)`,
  );
  expect(await call('grep', { pattern: '(ANSWER)', literal: true, glob: '*.ts' })).toBe(
    `${at('src/b.ts')}:2: console.log(ANSWER)`,
  );
  expect(await call('grep', { pattern: 'long', glob: '**/*.md' })).toMatch(/c\.md:2: (long ){40}\.\.\.$/);
  expect(await call('grep', { pattern: '2', path: '/mnt/user-data/uploads/data.csv' })).toBe(
    '/mnt/user-data/uploads/data.csv:2: 1,2',
  );
  expect(await call('grep', { pattern: 'answer', max_results: 2 })).toMatch(
    /a\.ts:2: .*\n\.\.\. \[there is more/,
  );
  expect(await call('grep', { pattern: 'nowhere' })).toBe('No lines matched under /mnt/user-data/workspace');
});

it('[tools.search.paths] no link is followed, nothing outside is searched, and a bad path is reported', async () => {
  const { call } = await open();
  expect(await call('glob', { pattern: '**/secret.ts' })).toMatch(/^No files/);
  expect(await call('glob', { pattern: '../../**' })).toMatch(/^No files/);
  expect(await call('grep', { pattern: 'answer', path: at('home') })).toMatch(/^Error: .*link/);
  expect(await call('grep', { pattern: 'answer', path: at('link.ts') })).toMatch(/^Error: .*link/);
  expect(await call('grep', { pattern: 'x', path: '/etc' })).toMatch(/^Error: The path \/etc is outside/);
  expect(await call('grep', { pattern: 'x', path: at('none') })).toMatch(
    /^Error: No such file or folder: .*none$/,
  );
});

it('[hostile.S63] [tools.grep.expression] a bad expression is reported, and an endless one is cut off', async () => {
  const patient = await open();
  expect(await patient.call('grep', { pattern: '(' })).toMatch(/^Error: Invalid regex pattern: /);
  const { call, root } = await open(2_000);
  await writeFile(join(root, 'workspace', 'slow.txt'), `${'a'.repeat(60)}!\n`);
  expect(await call('grep', { pattern: '^(a+)+$', glob: 'slow.txt' })).toMatch(
    /^Error: The search took too long/,
  );
});
