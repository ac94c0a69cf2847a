// The files of a thread, through the interface that tools use.
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf, NOTES, openThread, textOf, WHOLE } from './thread-files.ts';

describe('reading and writing', () => {
  it('[workspace.write] creates folders as needed and reads back what was written', async () => {
    const { files, workspace } = await openThread();
    await files.writeText('/mnt/user-data/workspace/a/b/c.txt', 'grüße 🙂\n', 'replace');
    expect(await textOf(files, '/mnt/user-data/workspace/a/b/c.txt')).toBe('grüße 🙂\n');
    expect(await readFile(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('grüße 🙂\n');
  });

  it('[workspace.lazy] touches nothing on the disk before the first write', async () => {
    const { files, dataHome } = await openThread();
    await files.list('/mnt/user-data', 2);
    await files.list('/mnt/user-data/workspace', 2);
    expect(await readdir(dataHome)).toEqual([]);
  });

  it('[workspace.write] replaces a whole file and keeps its mode', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText('/mnt/user-data/workspace/run.sh', 'echo 1\n', 'replace');
    await chmod(join(workspace, 'run.sh'), 0o755);
    await files.writeText('/mnt/user-data/workspace/run.sh', 'echo 2\n', 'replace');
    expect(await textOf(files, '/mnt/user-data/workspace/run.sh')).toBe('echo 2\n');
    expect((await stat(join(workspace, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(dataHome, 'tmp'))).toEqual([]);
  });

  it('[workspace.write] appends, and creates the file when there is none', async () => {
    const { files } = await openThread();
    await files.writeText(NOTES, 'one\n', 'append');
    await files.writeText(NOTES, 'two\n', 'append');
    expect(await textOf(files, NOTES)).toBe('one\ntwo\n');
  });

  it('[workspace.write] parallel writes to one thread lose nothing', async () => {
    const { files } = await openThread();
    await files.writeText(NOTES, '', 'replace');
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);
    await Promise.all(lines.map((line) => files.writeText(NOTES, line, 'append')));
    await Promise.all(
      lines.map((_, index) =>
        files.replaceText(NOTES, {
          search: `line ${index}\n`,
          replacement: `LINE ${index}\n`,
          occurrences: 'first',
        }),
      ),
    );
    expect(await textOf(files, NOTES)).toBe(lines.join('').toUpperCase());
  });

  it('[workspace.replace] replaces the first occurrence or all, and dollar signs are plain text', async () => {
    const { files } = await openThread();
    await files.writeText(NOTES, 'a a a', 'replace');
    const first = { search: 'a', replacement: "$&$'", occurrences: 'first' } as const;
    expect(await files.replaceText(NOTES, first)).toBe(1);
    expect(await textOf(files, NOTES)).toBe("$&$' a a");
    expect(await files.replaceText(NOTES, { search: 'a', replacement: 'b', occurrences: 'all' })).toBe(2);
    expect(await files.replaceText(NOTES, { search: 'z', replacement: 'b', occurrences: 'all' })).toBe(0);
    expect(await textOf(files, NOTES)).toBe("$&$' b b");
  });

  it('[workspace.replace] keeps a byte order mark and refuses to damage files that are not UTF-8', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText(NOTES, '\ufeffold', 'replace');
    await files.replaceText(NOTES, { search: 'old', replacement: 'new', occurrences: 'first' });
    expect(await textOf(files, NOTES)).toBe('\ufeffnew');
    await writeFile(join(workspace, 'latin1.txt'), Buffer.from([0x67, 0xfc, 0x0a]));
    const edit = { search: 'g', replacement: 'h', occurrences: 'first' } as const;
    const failure = await failureOf(files.replaceText('/mnt/user-data/workspace/latin1.txt', edit), dataHome);
    expect(failure.detail).toMatch(/not UTF-8/);
  });
});

describe('ranges of lines', () => {
  it('[workspace.read] returns the requested lines, both ends included, across chunk borders', async () => {
    const { files } = await openThread();
    const lines = Array.from({ length: 9_000 }, (_, index) => `${index + 1} ${'ü'.repeat(20)}\n`);
    await files.writeText(NOTES, lines.join(''), 'replace');
    const slice = await files.readText(NOTES, { startLine: 4_000, endLine: 4_002, maxCharacters: 1_000 });
    expect(slice).toEqual({ kind: 'text', text: lines.slice(3_999, 4_002).join(''), cut: false });
  });

  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['a\nb\n', 2],
  ])(
    '[workspace.read] reports how many lines %j has when the range begins after its end',
    async (text, lines) => {
      const { files } = await openThread();
      await files.writeText(NOTES, text, 'replace');
      expect(await files.readText(NOTES, { ...WHOLE, startLine: lines + 2 })).toEqual({
        kind: 'past_end',
        lines,
      });
      expect(await files.readText(NOTES, WHOLE)).toMatchObject({ text });
    },
  );

  it('[workspace.read] cuts long text without splitting a character, and reports it', async () => {
    const { files } = await openThread();
    await files.writeText(NOTES, '🙂'.repeat(10), 'replace');
    const slice = await files.readText(NOTES, { maxCharacters: 5 });
    expect(slice).toEqual({ kind: 'text', text: '🙂🙂', cut: true });
  });

  it('[workspace.read] distinguishes a binary file from text', async () => {
    const { files, workspace } = await openThread();
    await files.writeText(NOTES, 'x', 'replace');
    await writeFile(join(workspace, 'a.bin'), Buffer.from([1, 0, 2]));
    expect(await files.readText('/mnt/user-data/workspace/a.bin', WHOLE)).toEqual({ kind: 'binary' });
  });
});

describe('listing', () => {
  it('[workspace.list] shows the areas before the first write', async () => {
    const { files } = await openThread();
    expect(await files.list('/mnt/user-data/', 2)).toEqual({
      complete: true,
      entries: ['workspace', 'uploads', 'outputs'].map((area) => ({
        path: `/mnt/user-data/${area}`,
        kind: 'folder',
      })),
    });
    expect(await files.list('/mnt/user-data/workspace', 2)).toEqual({ complete: true, entries: [] });
  });

  it('[workspace.list] lists to the requested depth, sorted, and shows a link without following it', async () => {
    const { files, workspace } = await openThread();
    await files.writeText('/mnt/user-data/workspace/b/c/d.txt', 'x', 'replace');
    await files.writeText('/mnt/user-data/workspace/a.txt', 'x', 'replace');
    await symlink('/etc', join(workspace, 'etc'));
    const { entries } = await files.list('/mnt/user-data/workspace', 2);
    expect(entries).toEqual([
      { path: '/mnt/user-data/workspace/a.txt', kind: 'file' },
      { path: '/mnt/user-data/workspace/b', kind: 'folder' },
      { path: '/mnt/user-data/workspace/b/c', kind: 'folder' },
      { path: '/mnt/user-data/workspace/etc', kind: 'link' },
    ]);
  });

  it('[workspace.list] is bounded and reports omitted entries', async () => {
    const { files, workspace } = await openThread();
    await files.writeText(NOTES, 'x', 'replace');
    await Promise.all(Array.from({ length: 2_100 }, (_, i) => writeFile(join(workspace, `f${i}`), '')));
    const listing = await files.list('/mnt/user-data/workspace', 1);
    expect(listing.complete).toBe(false);
    expect(listing.entries).toHaveLength(2_000);
  });
});

describe('absence and wrong kinds', () => {
  it('[workspace.errors] names only the virtual path of a missing file', async () => {
    const { files, dataHome } = await openThread();
    for (const call of [
      () => files.readText(NOTES, WHOLE),
      () => files.replaceText(NOTES, { search: 'a', replacement: 'b', occurrences: 'first' }),
      () => files.list('/mnt/user-data/workspace/missing', 1),
    ]) {
      const failure = await failureOf(call(), dataHome);
      expect(failure.code).toBe('not_found');
      expect(failure.detail).toMatch(/^No such file or folder: \/mnt\/user-data\/workspace\//);
    }
  });

  it('[workspace.errors] refuses a folder as a file and a file as a folder', async () => {
    const { files, dataHome } = await openThread();
    await files.writeText('/mnt/user-data/workspace/a/b', 'x', 'replace');
    for (const call of [
      () => files.readText('/mnt/user-data/workspace/a', WHOLE),
      () => files.writeText('/mnt/user-data/workspace/a', 'x', 'replace'),
      () => files.writeText('/mnt/user-data/workspace/a', 'x', 'append'),
      () => files.writeText('/mnt/user-data/workspace/a/b/c', 'x', 'replace'),
      () => files.list('/mnt/user-data/workspace/a/b', 1),
    ]) {
      expect((await failureOf(call(), dataHome)).code).toBe('invalid');
    }
  });

  it('[workspace.devices] never waits for a pipe or a socket', async () => {
    const { files, workspace, dataHome } = await openThread();
    await files.writeText(NOTES, 'x', 'replace');
    const socket = createServer().listen(join(workspace, 'socket'));
    try {
      for (const mode of ['replace', 'append'] as const) {
        const write = files.writeText('/mnt/user-data/workspace/socket', 'x', mode);
        expect((await failureOf(write, dataHome)).code).toBe('invalid');
      }
      const read = files.readText('/mnt/user-data/workspace/socket', WHOLE);
      expect((await failureOf(read, dataHome)).code).toBe('invalid');
    } finally {
      socket.close();
    }
  });
});

describe('owners and removal', () => {
  it('[workspace.owner] files of one user or thread are absent for another', async () => {
    const { files, filesOf, dataHome } = await openThread();
    await files.writeText(NOTES, 'CANARY', 'replace');
    for (const place of [
      { userId: 'bob', threadId: 't1' },
      { userId: 'ada', threadId: 't2' },
      { userId: null, threadId: 't1' },
    ]) {
      const failure = await failureOf(filesOf(place).readText(NOTES, WHOLE), dataHome);
      expect(failure.code).toBe('not_found');
    }
  });

  it('[workspace.remove] removes everything of the thread, nothing of others, and can be repeated', async () => {
    const { files, filesOf, folder, dataHome } = await openThread();
    const other = filesOf({ userId: 'ada', threadId: 't2' });
    await other.writeText(NOTES, 'mine', 'replace');
    await files.writeText(NOTES, 'x', 'replace');
    await symlink(join(dataHome, 'users', 'ada', 'threads', 't2'), join(folder, 'user-data', 'escape'));
    await files.removeAll();
    await files.removeAll();
    expect(await readdir(join(dataHome, 'users', 'ada', 'threads'))).toEqual(['t2']);
    expect(await textOf(other, NOTES)).toBe('mine');
  });

  it('[workspace.remove] succeeds for a thread that never had a file', async () => {
    const { files, dataHome } = await openThread();
    await files.removeAll();
    expect(await readdir(dataHome)).toEqual([]);
  });
});
