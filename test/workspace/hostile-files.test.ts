// Links, planted and swapped: nothing outside the thread's files is read, written or listed.
import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf, NOTES, openThread, textOf, WHOLE } from './thread-files.ts';

describe('links', () => {
  it('[workspace.symlinks] follows no link on any component, for reading or for writing', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText(NOTES, 'x', 'replace');
    const outside = join(dataHome, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.txt'), 'CANARY');
    await symlink(outside, join(workspace, 'folder'));
    await symlink(join(outside, 'secret.txt'), join(workspace, 'file'));
    await symlink(join(outside, 'new.txt'), join(workspace, 'dangling'));
    const replacement = { search: 'CANARY', replacement: 'x', occurrences: 'all' } as const;
    for (const name of ['folder/secret.txt', 'folder/new.txt', 'file', 'dangling']) {
      const path = `/mnt/user-data/workspace/${name}`;
      for (const call of [
        () => files.readText(path, WHOLE),
        () => files.writeText(path, 'owned', 'replace'),
        () => files.writeText(path, 'owned', 'append'),
        () => files.replaceText(path, replacement),
        () => files.list(path, 1),
      ]) {
        expect((await failureOf(call(), dataHome)).code).toBe('invalid');
      }
    }
    await failureOf(files.list('/mnt/user-data/workspace/folder', 1), dataHome);
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('CANARY');
  });

  it("[workspace.symlinks] an area that is a link to another user's files is refused", async () => {
    const { files, filesOf, folder, dataHome } = await openThread();
    await filesOf({ userId: 'bob', threadId: 't2' }).writeText(NOTES, 'CANARY', 'replace');
    await mkdir(join(folder, 'user-data'), { recursive: true });
    const theirs = join(dataHome, 'users', 'bob', 'threads', 't2', 'user-data', 'workspace');
    await symlink(theirs, join(folder, 'user-data', 'workspace'));
    await failureOf(files.readText(NOTES, WHOLE), dataHome);
    await failureOf(files.writeText(NOTES, 'owned', 'replace'), dataHome);
    await failureOf(files.list('/mnt/user-data/workspace', 1), dataHome);
    expect(JSON.stringify(await files.list('/mnt/user-data', 2))).not.toContain('NOTES');
  });

  it('[workspace.hardlinks] touches no file that has a second name', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText(NOTES, 'x', 'replace');
    await writeFile(join(dataHome, 'secret'), 'CANARY');
    await link(join(dataHome, 'secret'), join(workspace, 'linked'));
    const path = '/mnt/user-data/workspace/linked';
    for (const call of [
      () => files.readText(path, WHOLE),
      () => files.writeText(path, 'owned', 'replace'),
      () => files.writeText(path, 'owned', 'append'),
      () => files.replaceText(path, { search: 'CANARY', replacement: 'x', occurrences: 'all' }),
    ]) {
      expect((await failureOf(call(), dataHome)).detail).toMatch(/hard link/);
    }
    expect(await readFile(join(dataHome, 'secret'), 'utf8')).toBe('CANARY');
  });

  it('[hostile.S02] [workspace.races] a folder that is swapped for a link while files are opened never leads outside', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText('/mnt/user-data/workspace/swap/file.txt', 'inside', 'replace');
    const outside = join(dataHome, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file.txt'), 'CANARY');
    await symlink(outside, join(workspace, 'link'));
    let swapping = true;
    const swaps = (async () => {
      while (swapping) {
        await rename(join(workspace, 'swap'), join(workspace, 'kept'));
        await rename(join(workspace, 'link'), join(workspace, 'swap'));
        await rename(join(workspace, 'swap'), join(workspace, 'link'));
        await rename(join(workspace, 'kept'), join(workspace, 'swap'));
      }
    })();
    const seen = new Set<string>();
    const path = '/mnt/user-data/workspace/swap/file.txt';
    const edit = { search: 'i', replacement: 'i', occurrences: 'all' } as const;
    for (let round = 0; round < 300; round += 1) {
      seen.add(await textOf(files, path).catch(() => 'refused'));
      seen.add(await files.replaceText(path, edit).then(String, () => 'refused'));
    }
    swapping = false;
    await swaps;
    expect(['2', 'inside', 'refused']).toEqual(expect.arrayContaining([...seen]));
    expect(await readdir(outside)).toEqual(['file.txt']);
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe('CANARY');
  });
});
