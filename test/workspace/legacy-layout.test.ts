// Files from before threads had owners: moved by the first access, never through a link, never over others.
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkspaceFiles } from '../../src/workspace/workspace-files.ts';
import { openThread, textOf } from './thread-files.ts';

const NOTES = '/mnt/user-data/workspace/NOTES.md';

async function legacy(dataHome: string): Promise<string> {
  const folder = join(dataHome, 'threads', 't1', 'user-data', 'workspace');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'NOTES.md'), 'from before');
  return folder;
}

it('[workspace.layout.moved] moves the files on first use, even with concurrent accesses', async () => {
  const { dataHome, files, workspace } = await openThread();
  const folder = await legacy(dataHome);
  const other = createWorkspaceFiles({ dataHome })({ userId: 'ada', threadId: 't1' });
  const texts = await Promise.all([files, other, files, other].map((it) => textOf(it, NOTES)));
  expect(new Set(texts)).toEqual(new Set(['from before']));
  expect(await readFile(join(workspace, 'NOTES.md'), 'utf8')).toBe('from before');
  await expect(stat(folder)).rejects.toThrow(/ENOENT/);
});

it('[workspace.layout.moved] leaves them if the new place has files', async () => {
  const { dataHome, files } = await openThread();
  await files.writeText(NOTES, 'new', 'replace');
  const folder = await legacy(dataHome);
  expect(await textOf(files, NOTES)).toBe('new');
  expect(await readFile(join(folder, 'NOTES.md'), 'utf8')).toBe('from before');
  await files.removeAll();
  await expect(stat(join(dataHome, 'threads', 't1'))).rejects.toThrow(/ENOENT/);
});

it('[workspace.layout.moved] moves nothing through a link', async () => {
  const { dataHome, filesOf, files } = await openThread();
  await filesOf({ userId: 'bob', threadId: 't2' }).writeText(NOTES, 'CANARY', 'replace');
  await mkdir(join(dataHome, 'threads'));
  await symlink(join(dataHome, 'users', 'bob', 'threads', 't2'), join(dataHome, 'threads', 't1'));
  await expect(textOf(files, NOTES)).rejects.toThrow(/No such file/);
  expect(await textOf(filesOf({ userId: 'bob', threadId: 't2' }), NOTES)).toBe('CANARY');
});
