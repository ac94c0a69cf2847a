// What threads and people may have on disk, whoever writes it.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer, type ToolCallAnswer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { sendFiles } from '../support/upload.ts';
import { packageOf, unzipped } from '../support/zip.ts';
import { sendPackage } from '../transfer/conversation.ts';

interface Usage {
  readonly bytes: number;
  readonly limit: number;
  readonly user_bytes: number;
  readonly user_limit: number;
  readonly files: number;
  readonly file_limit: number;
  readonly user_files: number;
  readonly user_file_limit: number;
}

const MIB = 1_048_576;
const THREAD_FULL = 'The files of this thread would take more than 2 MB; delete some of them first.';
const USER_FULL = 'Your files and metadata would take more than 4 MB; delete files or threads first.';

let test: TestService;
afterEach(() => test.close());

async function open(workspace: Record<string, unknown> = {}) {
  test = await openTestService({
    config: { workspace: { thread_quota_mb: 2, user_quota_mb: 4, min_free_mb: 0, ...workspace } },
  });
  const client = await test.user('ann');
  const threadId = await newThread(client);
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  const threads = join(test.dataHome, 'users', id, 'threads');
  return { client, threadId, threads, folder: join(threads, threadId, 'user-data') };
}

type Opened = Awaited<ReturnType<typeof open>>;

const upload = ({ client }: Opened, threadId: string, bytes: number) =>
  sendFiles(client, threadId, [{ name: 'up.bin', content: Buffer.alloc(bytes) }]);

/** `[content, hash of what is there]` */
type Edit = string | readonly [string, string];

const put = ({ client, threadId }: Opened, name: string, edit: Edit) => {
  const [content, expected] = typeof edit === 'string' ? [edit] : edit;
  return client.put(`/api/threads/${threadId}/artifacts/mnt/user-data/workspace/${name}`, {
    content,
    ...(expected !== undefined && { expected_sha256: expected }),
  });
};

const usageOf = async (client: HttpClient, threadId: string) =>
  (await jsonOf<{ usage: Usage }>(client.get(`/api/threads/${threadId}/artifacts`))).usage;

const refusal = async (response: Promise<Response>) => {
  const refused = await response;
  return [refused.status, await detailOf(refused)];
};

/** What the model is told of each call of one step. */
async function told({ client, threadId }: Opened, ...calls: ToolCallAnswer[]): Promise<readonly string[]> {
  for (const call of calls) test.model.enqueue(answer.toolCalls([call]));
  test.model.enqueue(answer.text('done'));
  await streamed(client, threadId, question('work'));
  const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  const results = values.messages.filter(({ type }) => type === 'tool');
  return results.slice(-calls.length).map(({ content }) => content);
}

const writing = (content: string, path = 'workspace/b.txt', append = false): ToolCallAnswer => ({
  name: 'write_file',
  args: { path: `/mnt/user-data/${path}`, content, append },
});

it('[quota.tools] tools that would exceed it get an error, and files do not change', async () => {
  const at = await open();
  await mkdir(join(at.folder, 'workspace'), { recursive: true });
  await writeFile(join(at.folder, 'workspace', 'big.bin'), Buffer.alloc(2 * MIB - 1_000));
  const replace = { path: '/mnt/user-data/workspace/b.txt', old_str: 'x', new_str: 'y'.repeat(2_000) };
  const results = await told(
    at,
    writing('x'.repeat(500)),
    writing('y'.repeat(600), 'workspace/c.txt'),
    writing('z'.repeat(600), 'workspace/b.txt', true),
    { name: 'str_replace', args: replace },
    writing('y'.repeat(900)),
    { name: 'str_replace', args: { ...replace, old_str: 'yy', new_str: 'z', replace_all: true } },
  );
  const refused = `Error: ${THREAD_FULL}`;
  expect(results).toEqual(['OK', refused, refused, refused, 'OK', 'OK']);
  expect((await readdir(join(at.folder, 'workspace'))).sort()).toEqual(['b.txt', 'big.bin']);
  expect((await usageOf(at.client, at.threadId)).bytes).toBe(2 * MIB - 1_000 + 450);
});

const MANY = 'This thread would have more than 8 files and folders; delete some of them first.';
const TOO_MANY = 'You would have more than 30 files and folders; delete files or threads first.';

it('[quota.files] empty files and folders count as well: uploads, edits, tools and packages are refused', async () => {
  const at = await open({ thread_quota_files: 8 });
  const empty = (count: number, thread = at.threadId) =>
    sendFiles(
      at.client,
      thread,
      Array.from({ length: count }, (_, n) => ({ name: `${n}.txt`, content: '' })),
    );
  expect((await empty(5)).status).toBe(200);
  expect(await refusal(empty(3))).toEqual([413, MANY]);
  expect((await put(at, 'a.txt', '')).status).toBe(200);
  expect(await refusal(put(at, 'b.txt', ''))).toEqual([413, MANY]);
  expect(
    await told(
      at,
      writing('b'),
      writing('b', 'workspace/x/y/z/b.txt'),
      writing('b', 'uploads/0.txt'),
      { name: 'bash', args: { command: 'touch 1 2 3; echo done' } },
      { name: 'bash', args: { command: 'rm -r *' } },
    ),
  ).toEqual([
    `Error: ${MANY}`,
    `Error: ${MANY}`,
    expect.not.stringContaining('more than'),
    `done\nNote: ${MANY} Until then nothing more can be written.`,
    '(no output)',
  ]);
  expect(await readdir(join(at.folder, 'workspace'))).toEqual([]);
  const good = await unzipped(at.client.get(`/api/threads/${at.threadId}/export`));
  const more = Array.from({ length: 9 }, (_, n) => [`files/${at.threadId}/outputs/${n}.txt`, ''] as const);
  const crowd = await packageOf(new Map([...good, ...more]));
  const before = await readdir(at.threads);
  expect(await refusal(sendPackage(at.client, '/api/threads/import', crowd))).toEqual([413, MANY]);
  await expect.poll(() => readdir(at.threads)).toEqual(before);
});

it('[quota.files] the files of all threads count together, and folders nested without end are too many', async () => {
  const at = await open({ user_quota_files: 30 });
  const send = async (names: readonly number[]) =>
    sendFiles(
      at.client,
      await newThread(at.client),
      names.map((n) => ({ name: `${n}.txt`, content: '' })),
    );
  const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  expect((await send(ten)).status).toBe(200);
  expect((await send(ten)).status).toBe(200);
  expect(await refusal(send(ten))).toEqual([413, TOO_MANY]);
  const deep = Array.from({ length: 300 }, () => 'd').join('/');
  await mkdir(join(at.folder, 'workspace', deep), { recursive: true });
  expect(await refusal(put(at, 'a.txt', ''))).toEqual([413, TOO_MANY]);
  expect((await usageOf(at.client, at.threadId)).files).toBeGreaterThan(1_000_000);
});

it('[quota.edit] an edit beyond it is 413, one that makes a file smaller is taken', async () => {
  const at = await open();
  await jsonOf(put(at, 'a.txt', 'a'.repeat(MIB)));
  await writeFile(join(at.folder, 'workspace', 'b.txt'), Buffer.alloc(MIB * 1.5, 'b'));
  // Nobody has told of b.txt: the count of a minute ago says that there is room.
  const { sha256 } = await jsonOf<{ sha256: string }>(put(at, 'c.txt', 'c'));
  expect(await refusal(put(at, 'd.txt', 'd'.repeat(MIB)))).toEqual([413, THREAD_FULL]);
  expect(await refusal(put(at, 'c.txt', ['cc', sha256]))).toEqual([413, THREAD_FULL]);
  expect((await put(at, 'c.txt', ['', sha256])).status).toBe(200);
});

it('[quota.commands] a command that exceeded it is reported, and the next write is refused until files are removed', async () => {
  const at = await open();
  const bash = (command: string): ToolCallAnswer => ({ name: 'bash', args: { command } });
  const results = await told(
    at,
    bash('head -c 3000000 /dev/zero > big.bin; echo written'),
    writing('b'),
    bash('rm big.bin'),
    writing('b'),
  );
  const { content } = { content: results[0] };
  expect(content).toBe(`written\nNote: ${THREAD_FULL} Until then nothing more can be written.`);
  expect(results.slice(1)).toEqual([`Error: ${THREAD_FULL}`, '(no output)', 'OK']);
});

it('[quota.user] the files of all threads count together, and go with their thread', async () => {
  const at = await open();
  const second = await newThread(at.client);
  const third = await newThread(at.client);
  for (const thread of [at.threadId, second]) expect((await upload(at, thread, 1.9 * MIB)).status).toBe(200);
  expect(await refusal(upload(at, third, MIB))).toEqual([413, USER_FULL]);
  const note = `/api/threads/${third}/artifacts/mnt/user-data/outputs/note.md`;
  expect(await refusal(at.client.put(note, { content: 'x'.repeat(MIB) }))).toEqual([413, USER_FULL]);
  const bob = await test.user('bob');
  expect(
    (await sendFiles(bob, await newThread(bob), [{ name: 'b', content: Buffer.alloc(MIB) }])).status,
  ).toBe(200);
  await at.client.delete(`/api/threads/${second}`);
  expect((await upload(at, third, MIB)).status).toBe(200);
});

it('[quota.metadata] the metadata of threads and runs counts beside the files, and goes with its thread', async () => {
  const at = await open({ user_quota_mb: 2, thread_quota_mb: 2 });
  expect((await upload(at, at.threadId, 2 * MIB - 20_000)).status).toBe(200);
  const full = [413, USER_FULL.replace('4 MB', '2 MB')];
  const notes = { metadata: { notes: 'x'.repeat(12_000) } };
  const { thread_id } = await jsonOf<{ thread_id: string }>(at.client.post('/api/threads', notes));
  expect((await usageOf(at.client, at.threadId)).user_bytes).toBe(2 * MIB - 20_000 + 12_012);
  const again = at.client.post('/api/threads', { thread_id, ...notes });
  expect((await again).status).toBe(200);
  const member = `/api/threads/${thread_id}`;
  expect(await refusal(at.client.post('/api/threads', notes))).toEqual(full);
  expect(await refusal(at.client.post(`${member}/copy`))).toEqual(full);
  expect(await refusal(at.client.patch(`/api/threads/${at.threadId}`, notes))).toEqual(full);
  const run = { ...question('hello'), ...notes };
  expect(await refusal(at.client.post(`/api/threads/${at.threadId}/runs`, run))).toEqual(full);
  expect(await refusal(upload(at, at.threadId, 10_000))).toEqual(full);
  expect((await at.client.patch(member, { metadata: { notes: 'y'.repeat(12_000) } })).status).toBe(200);
  expect((await at.client.post('/api/threads', {})).status).toBe(200);
  expect((await at.client.patch(member, { metadata: { notes: 'z'.repeat(200) } })).status).toBe(200);
  test.model.enqueue(answer.text('hello'));
  await streamed(at.client, at.threadId, run);
  expect((await usageOf(at.client, at.threadId)).user_bytes).toBeGreaterThan(2 * MIB - 20_000 + 12_012);
  await at.client.delete(`/api/threads/${at.threadId}`);
  const zip = Buffer.from(await (await at.client.get(`${member}/export`)).arrayBuffer());
  expect((await at.client.patch(member, { metadata: { notes: '' } })).status).toBe(200);
  expect((await upload(at, thread_id, 2 * MIB - 100)).status).toBe(200);
  expect(await refusal(sendPackage(at.client, '/api/threads/import', zip))).toEqual(full);
});

it('[quota.floor] while the disk has less than its minimum every write is 507, and reading works', async () => {
  const at = await open({ min_free_mb: 1_048_576 });
  const full = [507, 'The disk of the service is full; nothing was saved.'];
  expect(await refusal(upload(at, at.threadId, 1))).toEqual(full);
  expect(await refusal(put(at, 'a.txt', 'a'))).toEqual(full);
  expect(await told(at, writing('b'))).toEqual([`Error: ${full[1]}`]);
  const zip = Buffer.from(await (await at.client.get(`/api/threads/${at.threadId}/export`)).arrayBuffer());
  expect(await refusal(sendPackage(at.client, '/api/threads/import', zip))).toEqual(full);
  expect(await jsonOf(at.client.get(`/api/threads/${at.threadId}/uploads/list`))).toMatchObject({ count: 0 });
  expect(await readdir(join(test.dataHome, 'tmp'))).toEqual([]);
});

it('[quota.import] a package that is more than there is room for is 413, and leaves nothing', async () => {
  const at = await open();
  await jsonOf(put(at, 'a.txt', 'a'.repeat(1.5 * MIB)));
  await streamed(at.client, at.threadId, question('hello'));
  const good = await unzipped(at.client.get(`/api/threads/${at.threadId}/export`));
  const more = new Map([...good, [`files/${at.threadId}/outputs/more.txt`, 'm'.repeat(3 * MIB)]]);
  const before = await readdir(at.threads);
  expect(await refusal(sendPackage(at.client, '/api/threads/import', await packageOf(more)))).toEqual([
    413,
    THREAD_FULL,
  ]);
  await expect.poll(() => readdir(at.threads)).toEqual(before);
  expect((await sendPackage(at.client, '/api/threads/import', await packageOf(good))).status).toBe(200);
});

it('[quota.restore] [quota.snapshots] a restore that would take too much is 413 and changes nothing', async () => {
  const at = await open({ user_quota_mb: 64 });
  await jsonOf(put(at, 'old.txt', 'o'.repeat(1.5 * MIB)));
  await told(at, { name: 'bash', args: { command: 'rm old.txt; echo new > new.txt' } });
  const { runs } = await jsonOf<{ runs: { run_id: string }[] }>(
    at.client.get(`/api/threads/${at.threadId}/runs`),
  );
  const restore = () =>
    at.client.post(`/api/threads/${at.threadId}/workspace/restore`, { run_id: runs[0]?.run_id });
  expect((await upload(at, at.threadId, MIB)).status).toBe(200);
  expect(await refusal(restore())).toEqual([413, THREAD_FULL]);
  expect(await readdir(join(at.folder, 'workspace'))).toEqual(['new.txt']);
  const { bytes, user_bytes } = await usageOf(at.client, at.threadId);
  expect([bytes, user_bytes > bytes + 1.5 * MIB]).toEqual([MIB + 4, true]);
  await at.client.delete(`/api/threads/${at.threadId}/uploads/up.bin`);
  expect((await restore()).status).toBe(200);
  expect(await readdir(join(at.folder, 'workspace'))).toEqual(['old.txt']);
});

it('[quota.snapshots] a snapshot that does not fit is omitted, and the run continues', async () => {
  const at = await open({ user_quota_mb: 2, thread_quota_mb: 2 });
  await jsonOf(put(at, 'old.txt', 'o'.repeat(1.5 * MIB)));
  expect(await told(at, { name: 'bash', args: { command: 'rm old.txt' } })).toEqual(['(no output)']);
  const { runs } = await jsonOf<{ runs: { run_id: string; status: string }[] }>(
    at.client.get(`/api/threads/${at.threadId}/runs`),
  );
  const path = `/api/threads/${at.threadId}/runs/${runs[0]?.run_id}/workspace-changes`;
  expect(await jsonOf(at.client.get(path))).toMatchObject({
    changes: [{ path: '/mnt/user-data/workspace/old.txt', change: 'deleted', diff_omitted: 'not_kept' }],
  });
  expect(runs[0]?.status).toBe('success');
});

it('[quota.shown] both lists contain use and limits, and follow what is written and removed', async () => {
  const at = await open();
  const limits = { limit: 2 * MIB, user_limit: 4 * MIB, file_limit: 20_000, user_file_limit: 100_000 };
  const listed = async () =>
    (await jsonOf<{ usage: Usage }>(at.client.get(`/api/threads/${at.threadId}/uploads/list`))).usage;
  expect(await listed()).toEqual({ bytes: 0, user_bytes: 0, files: 0, user_files: 0, ...limits });
  await upload(at, at.threadId, 1_000);
  await put(at, 'b.txt', 'four');
  expect(await listed()).toEqual({ bytes: 1_004, user_bytes: 1_004, files: 3, user_files: 3, ...limits });
  expect(await usageOf(at.client, at.threadId)).toEqual({
    bytes: 1_004,
    user_bytes: 1_004,
    files: 3,
    user_files: 3,
    ...limits,
  });
  await at.client.delete(`/api/threads/${at.threadId}/uploads/up.bin`);
  // Counted anew, with the folders that hold them.
  expect(await listed()).toMatchObject({ bytes: 4, files: 3 });
  await rm(join(at.folder, 'workspace'), { recursive: true });
});
