// ls, read_file, write_file and str_replace as a model sees them.
import { randomUUID } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/messages/message.ts';
import { createFileTools } from '../../src/tools/file-tools.ts';
import { createImageStore } from '../../src/workspace/images/image-store.ts';
import { createWorkspaceFiles } from '../../src/workspace/workspace-files.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';
import { runTool } from './run-tool.ts';

const NOTES = '/mnt/user-data/workspace/NOTES.md';

async function openTools() {
  const dataHome = await temporaryFolder();
  const filesOf = createWorkspaceFiles({ dataHome });
  const tools = createFileTools({
    filesFor: ({ userId, threadId, knownFiles }) => filesOf({ userId, threadId }, knownFiles),
    images: createImageStore({ dataHome, newId: randomUUID }),
  });
  const known = new Map<string, string>();
  const call = (name: string, args: JsonObject) => {
    const tool = tools.find((it) => it.name === name);
    if (tool === undefined) throw new Error(`No tool ${name}`);
    return runTool(tool, { description: 'test', ...args }, known);
  };
  const workspace = join(dataHome, 'users', 'ada', 'threads', 't1', 'user-data', 'workspace');
  return { tools, call, dataHome, workspace };
}

function text(content: string) {
  return { kind: 'result', content };
}

describe('the descriptions for the model', () => {
  it('[tools.files] there are four tools, each with `description` as its first argument', async () => {
    const { tools } = await openTools();
    const shapes = tools.map((tool) => [tool.name, Object.keys(tool.inputSchema.properties ?? {})]);
    expect(shapes).toEqual([
      ['ls', ['description', 'path']],
      ['read_file', ['description', 'path', 'start_line', 'end_line']],
      ['write_file', ['description', 'path', 'content', 'append']],
      ['str_replace', ['description', 'path', 'old_str', 'new_str', 'replace_all']],
    ]);
  });

  it('[tools.files.effects] only the reading tools may be repeated', async () => {
    const { tools } = await openTools();
    expect(tools.map((tool) => tool.effect)).toEqual(['read', 'read', 'once', 'once']);
  });
});

describe('ls', () => {
  it('[tools.ls] shows two levels, folders with a slash, and (empty)', async () => {
    const { call } = await openTools();
    expect(await call('ls', { path: '/mnt/user-data/workspace' })).toMatchObject(text('(empty)'));
    await call('write_file', { path: '/mnt/user-data/workspace/a/b/c.txt', content: 'x' });
    await call('write_file', { path: NOTES, content: 'x' });
    expect(await call('ls', { path: '/mnt/user-data/workspace' })).toMatchObject(
      text(`${NOTES}\n/mnt/user-data/workspace/a/\n/mnt/user-data/workspace/a/b/`),
    );
  });

  it('[tools.ls] is cut at 20,000 characters and reports it', async () => {
    const { call, workspace } = await openTools();
    await call('write_file', { path: NOTES, content: 'x' });
    const name = 'n'.repeat(200);
    await Promise.all(Array.from({ length: 120 }, (_, i) => writeFile(join(workspace, `${name}${i}`), '')));
    const outcome = await call('ls', { path: '/mnt/user-data/workspace' });
    if (outcome.kind !== 'result' || typeof outcome.content !== 'string') throw new Error('no listing');
    expect(outcome.content.length).toBeLessThan(20_200);
    expect(outcome.content).toMatch(/\[truncated: showed the first \d+ entries/);
  });
});

describe('read_file', () => {
  it('[tools.read_file] reads a whole file, a range of lines, and nothing from an empty file', async () => {
    const { call } = await openTools();
    await call('write_file', { path: NOTES, content: 'one\ntwo\nthree\n' });
    expect(await call('read_file', { path: NOTES })).toMatchObject(text('one\ntwo\nthree\n'));
    expect(await call('read_file', { path: NOTES, start_line: 2, end_line: 2 })).toMatchObject(text('two\n'));
    expect(await call('read_file', { path: NOTES, start_line: null, end_line: null })).toMatchObject(
      text('one\ntwo\nthree\n'),
    );
    await call('write_file', { path: NOTES, content: '' });
    expect(await call('read_file', { path: NOTES })).toMatchObject(text('(empty)'));
  });

  it('[tools.read_file] reports an empty range', async () => {
    const { call } = await openTools();
    await call('write_file', { path: NOTES, content: 'one\n' });
    expect(await call('read_file', { path: NOTES, start_line: 9 })).toMatchObject(
      text('(start_line exceeds file length: the file has 1 lines)'),
    );
    expect(await call('read_file', { path: NOTES, start_line: 3, end_line: 2 })).toMatchObject(
      text('(start_line > end_line: 3 > 2)'),
    );
  });

  it('[tools.read_file] is cut at 50,000 characters with a hint', async () => {
    const { call } = await openTools();
    await call('write_file', { path: NOTES, content: 'x'.repeat(60_000) });
    const outcome = await call('read_file', { path: NOTES });
    expect(outcome).toMatchObject(
      text(
        `${'x'.repeat(50_000)}\n... [truncated: showed the first 50000 characters; use start_line and end_line to read the rest]`,
      ),
    );
  });

  it('[tools.read_file] does not show a binary file', async () => {
    const { call, workspace } = await openTools();
    await call('write_file', { path: NOTES, content: 'x' });
    await writeFile(join(workspace, 'a.bin'), Buffer.from([1, 0, 2]));
    expect(await call('read_file', { path: '/mnt/user-data/workspace/a.bin' })).toEqual({
      kind: 'failure',
      message: 'Error: /mnt/user-data/workspace/a.bin is a binary file and cannot be shown as text.',
    });
  });
});

describe('write_file and str_replace', () => {
  it('[tools.write_file] replaces, appends, and returns OK', async () => {
    const { call } = await openTools();
    expect(await call('write_file', { path: NOTES, content: 'one\n' })).toMatchObject(text('OK'));
    expect(await call('write_file', { path: NOTES, content: 'two\n', append: true })).toMatchObject(
      text('OK'),
    );
    expect(await call('read_file', { path: NOTES })).toMatchObject(text('one\ntwo\n'));
  });

  it('[tools.write_file] refuses more than 80 KiB in one call', async () => {
    const { call } = await openTools();
    const content = 'é'.repeat(40 * 1024);
    expect(await call('write_file', { path: NOTES, content })).toMatchObject(text('OK'));
    const outcome = await call('write_file', { path: NOTES, content: `${content}x` });
    expect(outcome).toMatchObject({ kind: 'failure', message: expect.stringMatching(/80 KiB.*append/s) });
    expect(await call('read_file', { path: NOTES, start_line: 2 })).toMatchObject({ kind: 'result' });
  });

  it('[tools.str_replace] replaces the first occurrence, or all, and reports when there is none', async () => {
    const { call } = await openTools();
    await call('write_file', { path: NOTES, content: 'a a a' });
    const edit = { path: NOTES, old_str: 'a', new_str: 'b' };
    expect(await call('str_replace', edit)).toMatchObject(text('OK'));
    expect(await call('read_file', { path: NOTES })).toMatchObject(text('b a a'));
    expect(await call('str_replace', { ...edit, replace_all: true })).toMatchObject(text('OK'));
    expect(await call('read_file', { path: NOTES })).toMatchObject(text('b b b'));
    expect(await call('str_replace', edit)).toEqual({
      kind: 'failure',
      message: `Error: String to replace not found in file: ${NOTES}`,
    });
    expect(await call('str_replace', { ...edit, old_str: '' })).toMatchObject(text('OK'));
  });
});

describe('refusals', () => {
  it('[tools.files.paths] every tool refuses paths outside the files and links, with an error sentence', async () => {
    const { call, workspace, dataHome } = await openTools();
    await call('write_file', { path: NOTES, content: 'x' });
    await symlink('/etc/passwd', join(workspace, 'link'));
    const rest = { content: 'x', old_str: 'a', new_str: 'b' };
    for (const name of ['ls', 'read_file', 'write_file', 'str_replace']) {
      for (const path of ['/etc/passwd', '../x', 'NOTES.md', '/mnt/user-data/workspace/../../x', '']) {
        const outcome = await call(name, { path, ...rest });
        expect(outcome).toMatchObject({ kind: 'failure', message: expect.stringMatching(/^Error: /) });
      }
      const outcome = await call(name, { path: '/mnt/user-data/workspace/link', ...rest });
      expect(outcome).toMatchObject({ kind: 'failure', message: expect.stringMatching(/^Error: .*link/) });
      expect(JSON.stringify(outcome)).not.toContain(dataHome);
    }
  });

  it('[tools.arguments] wrong arguments become a sentence, not a call', async () => {
    const { call } = await openTools();
    const wrong: JsonObject[] = [
      {},
      { path: 7 },
      { path: NOTES, start_line: 0 },
      { path: NOTES, start_line: '1' },
    ];
    for (const args of wrong) {
      expect(await call('read_file', args)).toMatchObject({ kind: 'failure' });
    }
  });
});
