// Files around runs: the changes of a run, and going back by a rollback, a branch, or by hand.
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer, type ToolCallAnswer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

interface Change {
  readonly path: string;
  readonly change: string;
  readonly diff: string | null;
  readonly diff_omitted: string | null;
}
interface Restored {
  readonly written: string[];
  readonly removed: string[];
  readonly left: string[];
  readonly undo_point: number;
}

let test: TestService;
let client: HttpClient;
let threadId: string;
let thread: string;
beforeEach(async () => {
  test = await openTestService({ config: { workspace: { snapshots: { max_file_mb: 1 } } } });
  client = await test.user();
  threadId = await newThread(client);
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  thread = join(test.dataHome, 'users', id, 'threads', threadId);
});
afterEach(() => test.close());

const onDisk = (path: string) => join(thread, 'user-data', path);

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(onDisk(path)), { recursive: true });
  await writeFile(onDisk(path), content);
}

const textOf = (path: string) => readFile(onDisk(path), 'utf8').catch(() => undefined);

function writing(path: string, content: string): ToolCallAnswer {
  return { name: 'write_file', args: { path: `/mnt/user-data/${path}`, content } };
}

/** Returns a call for files that the agent has not read, which `write_file` would refuse. */
function overwriting(path: string, content: string): ToolCallAnswer {
  return { name: 'bash', args: { command: `printf '%s' '${content}' > /mnt/user-data/${path}` } };
}

/** Runs a question during which the agent makes these calls; returns the id of the run. */
async function runWith(
  calls: readonly ToolCallAnswer[],
  fields: Record<string, unknown> = {},
): Promise<string> {
  if (calls.length > 0) test.model.enqueue(answer.toolCalls(calls));
  test.model.enqueue(answer.text('done'));
  await streamed(client, threadId, question('work', fields));
  const { runs } = await jsonOf<{ runs: { run_id: string }[] }>(client.get(`/api/threads/${threadId}/runs`));
  return runs[0]?.run_id ?? '';
}

const changesOf = (runId: string) =>
  jsonOf<{ changes: Change[]; total: number }>(
    client.get(`/api/threads/${threadId}/runs/${runId}/workspace-changes`),
  );
const restore = (body: object) =>
  jsonOf<Restored>(client.post(`/api/threads/${threadId}/workspace/restore`, body));
const headOf = async () =>
  (await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`))).checkpoint?.checkpoint_id;

describe('the changes of a run', () => {
  it('[undo.changes] name created, modified and deleted files, with diffs of texts', async () => {
    await put('workspace/a.txt', 'one\ntwo\n');
    await put('workspace/b.bin', new Uint8Array([0, 1]));
    await put('workspace/same.txt', 'same');
    const run = await runWith([
      overwriting('workspace/a.txt', 'one\nthree\n'),
      writing('outputs/new/c.md', 'fresh\n'),
      { name: 'bash', args: { command: 'rm /mnt/user-data/workspace/b.bin' } },
    ]);
    const { changes, total } = await changesOf(run);
    expect(total).toBe(3);
    expect(changes).toMatchObject([
      { path: '/mnt/user-data/outputs/new/c.md', change: 'created', before: null, after: { size: 6 } },
      {
        path: '/mnt/user-data/workspace/a.txt',
        change: 'modified',
        before: { size: 8 },
        after: { size: 10 },
      },
      { path: '/mnt/user-data/workspace/b.bin', change: 'deleted', after: null, diff_omitted: 'binary' },
    ]);
    expect(changes[1]?.diff).toContain('-two\n+three\n');
    expect(changes[0]?.diff).toContain('+fresh');
  });

  it('[undo.changes.none] are empty when no tool could change a file, and nothing is stored then', async () => {
    const run = await runWith([{ name: 'ls', args: { path: '/mnt/user-data' } }]);
    expect(await changesOf(run)).toEqual({ changes: [], total: 0 });
    await expect(stat(join(thread, 'snapshots'))).rejects.toThrow(/ENOENT/);
  });
});

describe('going back', () => {
  it('[undo.rollback] a rolled back run leaves the files as they were before it', async () => {
    await put('workspace/a.txt', 'before');
    await put('uploads/handed-in.txt', 'mine');
    test.model.enqueue(
      answer.toolCalls([overwriting('workspace/a.txt', 'after'), writing('workspace/deep/b.txt', 'x')]),
    );
    test.model.enqueue(answer.hangMidStream('some words'));
    const response = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('long', { stream_mode: ['messages-tuple'] }),
    );
    for await (const { data } of framesOf(response)) if (JSON.stringify(data).includes('some')) break;
    expect([await textOf('workspace/a.txt'), await textOf('workspace/deep/b.txt')]).toEqual(['after', 'x']);
    const run = /runs\/([^/]+)/.exec(response.headers.get('content-location') ?? '')?.[1] ?? '';
    await put('uploads/meanwhile.txt', 'mine, too');
    const cancel = `/api/graph/threads/${threadId}/runs/${run}/cancel?action=rollback&wait=true`;
    expect((await client.post(cancel)).status).toBeLessThan(300);
    expect(await textOf('workspace/a.txt')).toBe('before');
    expect(await readdir(onDisk('workspace'))).toEqual(['a.txt']);
    expect(await readdir(onDisk('uploads'))).toEqual(['handed-in.txt', 'meanwhile.txt']);
  });

  it('[undo.branch] a run from an older checkpoint begins with the files of that point on request', async () => {
    await runWith([writing('workspace/a.txt', 'first')]);
    const head = await headOf();
    await put('uploads/between.txt', 'kept');
    await runWith([writing('workspace/a.txt', 'second'), writing('workspace/b.txt', 'second')]);
    await runWith([], { checkpoint_id: head });
    expect(await textOf('workspace/a.txt')).toBe('second');
    await runWith([], { checkpoint_id: head, config: { configurable: { restore_files: true } } });
    expect([await textOf('workspace/a.txt'), await textOf('workspace/b.txt')]).toEqual(['first', undefined]);
    expect(await textOf('uploads/between.txt')).toBe('kept');
  });

  it('[undo.rollback] [undo.branch] a branch that is rolled back leaves the files as they were before it', async () => {
    await runWith([writing('workspace/a.txt', 'first')]);
    const head = await headOf();
    await runWith([writing('workspace/a.txt', 'second'), writing('workspace/b.txt', 'second')]);
    test.model.enqueue(answer.hangMidStream('some words'));
    const response = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('long', {
        stream_mode: ['messages-tuple'],
        checkpoint_id: head,
        config: { configurable: { restore_files: true } },
      }),
    );
    for await (const { data } of framesOf(response)) if (JSON.stringify(data).includes('some')) break;
    expect([await textOf('workspace/a.txt'), await textOf('workspace/b.txt')]).toEqual(['first', undefined]);
    const run = /runs\/([^/]+)/.exec(response.headers.get('content-location') ?? '')?.[1] ?? '';
    await client.post(`/api/graph/threads/${threadId}/runs/${run}/cancel?action=rollback&wait=true`);
    expect([await textOf('workspace/a.txt'), await textOf('workspace/b.txt')]).toEqual(['second', 'second']);
  });

  it('[undo.restore] [undo.undone] goes to a checkpoint, before a run, and back again', async () => {
    await put('workspace/a.txt', 'zero');
    await chmod(onDisk('workspace/a.txt'), 0o755);
    const first = await runWith([overwriting('workspace/a.txt', 'first')]);
    const head = await headOf();
    await runWith([overwriting('workspace/a.txt', 'second')]);
    await put('workspace/mine.txt', 'mine');
    const back = await restore({ run_id: first });
    expect(back).toMatchObject({
      written: ['/mnt/user-data/workspace/a.txt'],
      removed: ['/mnt/user-data/workspace/mine.txt'],
      left: [],
    });
    expect(await textOf('workspace/a.txt')).toBe('zero');
    expect((await stat(onDisk('workspace/a.txt'))).mode & 0o777).toBe(0o755);
    await restore({ point: back.undo_point });
    expect([await textOf('workspace/a.txt'), await textOf('workspace/mine.txt')]).toEqual(['second', 'mine']);
    await restore({ checkpoint_id: head });
    expect(await textOf('workspace/a.txt')).toBe('first');
  });

  it('[undo.links] neither follows a link nor writes through one', async () => {
    const outside = join(test.dataHome, 'outside');
    await mkdir(outside);
    const run = await runWith([writing('workspace/dir/a.txt', 'first'), writing('workspace/b.txt', 'first')]);
    const { undo_point: whole } = await restore({ run_id: run });
    await symlink(outside, onDisk('workspace/dir'));
    await symlink(join(outside, 'b.txt'), onDisk('workspace/b.txt'));
    const { left } = await restore({ point: whole });
    expect(left).toEqual(['/mnt/user-data/workspace/dir/a.txt']);
    expect(await readdir(outside)).toEqual([]);
    expect(await textOf('workspace/b.txt')).toBe('first');
  });

  it('[undo.refused] is refused while a run is active, and without a state to return to', async () => {
    const path = `/api/threads/${threadId}/workspace/restore`;
    expect((await client.post(path, { point: 1 })).status).toBe(404);
    expect((await client.post(path, {})).status).toBe(422);
    expect((await client.post(path, { point: 1, run_id: 'x' })).status).toBe(422);
    expect((await client.post(path, { checkpoint_id: 'absent' })).status).toBe(404);
    test.model.enqueue(answer.hangMidStream('some words'));
    const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, question('long'));
    expect((await client.post(path, { point: 1 })).status).toBe(409);
    await response.body?.cancel();
  });
});

describe('the store', () => {
  it('[undo.once] stores no content twice and reads no unchanged file', async () => {
    await put('workspace/a.txt', 'same words');
    await put('workspace/b.txt', 'same words');
    await runWith([writing('workspace/c.txt', 'same words')]);
    await runWith([writing('workspace/d.txt', 'other words')]);
    const folders = await readdir(join(thread, 'snapshots', 'objects'));
    const objects = await Promise.all(
      folders.flatMap(async (folder) => {
        const names = await readdir(join(thread, 'snapshots', 'objects', folder));
        return Promise.all(
          names.map((name) => readFile(join(thread, 'snapshots', 'objects', folder, name), 'utf8')),
        );
      }),
    );
    expect(objects.flat().filter((text) => text.endsWith('words'))).toHaveLength(2);
  });

  it('[undo.large] reports larger files by their size only, and leaves them', async () => {
    await put('workspace/large.bin', Buffer.alloc(1_048_577, 1));
    const run = await runWith([
      { name: 'bash', args: { command: 'echo x >> /mnt/user-data/workspace/large.bin' } },
    ]);
    const { changes } = await changesOf(run);
    expect(changes).toMatchObject([
      { change: 'modified', diff_omitted: 'not_kept', after: { sha256: null } },
    ]);
    expect((await restore({ run_id: run })).left).toEqual(['/mnt/user-data/workspace/large.bin']);
    expect((await stat(onDisk('workspace/large.bin'))).size).toBe(1_048_579);
  });

  it('[undo.same-time] detects a change that keeps size and times', async () => {
    await put('workspace/a.txt', 'aaaa');
    await utimes(onDisk('workspace/a.txt'), 1_000, 1_000);
    const command = 'cd /mnt/user-data/workspace && printf bbbb > a.txt && touch -d @1000 a.txt';
    const run = await runWith([{ name: 'bash', args: { command } }]);
    expect((await changesOf(run)).changes).toMatchObject([{ change: 'modified' }]);
  });

  it('[undo.deleted] is deleted with the thread, and is in no export', async () => {
    await runWith([writing('workspace/a.txt', 'x')]);
    const zip = Buffer.from(await (await client.get(`/api/threads/${threadId}/export`)).arrayBuffer());
    expect(zip.includes('snapshots/')).toBe(false);
    expect((await client.delete(`/api/threads/${threadId}`)).status).toBe(200);
    await expect(stat(thread)).rejects.toThrow(/ENOENT/);
  });

  it('[undo.broken] a run continues when its files cannot be stored', async () => {
    await mkdir(thread, { recursive: true });
    await rm(join(thread, 'snapshots'), { recursive: true, force: true });
    await writeFile(join(thread, 'snapshots'), 'in the way');
    const run = await runWith([writing('workspace/a.txt', 'x')]);
    expect(await textOf('workspace/a.txt')).toBe('x');
    expect(await changesOf(run).catch(() => 'failed')).toBeDefined();
    expect(test.complaints.map(({ message }) => message)).toContain(
      'the files of a run could not be saved or restored',
    );
  });
});
