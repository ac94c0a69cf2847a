// Text files of a thread that a person edits: only the version that they have seen.
import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

let service: TestService;
let ann: HttpClient;
let thread: string;
let base: string;
let outputs: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  thread = await newThread(ann);
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  outputs = join(service.dataHome, 'users', id, 'threads', thread, 'user-data', 'outputs');
  base = `/api/threads/${thread}/artifacts/mnt/user-data/outputs`;
});
afterAll(() => service.close());

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

it('[artifacts.edit] writes a new text, and after that only over the version that the client has seen', async () => {
  const made = await jsonOf(ann.put(`${base}/deep/a.md`, { content: 'one', expected_sha256: null }));
  expect(made).toEqual({ path: '/mnt/user-data/outputs/deep/a.md', size: 3, sha256: hashOf('one') });
  const again = await ann.put(`${base}/deep/a.md`, { content: 'two' });
  expect([again.status, await detailOf(again)]).toEqual([409, expect.stringContaining(hashOf('one'))]);
  await jsonOf(ann.put(`${base}/deep/a.md`, { content: 'two', expected_sha256: hashOf('one') }));
  expect(await readFile(join(outputs, 'deep', 'a.md'), 'utf8')).toBe('two');
  const stale = await ann.put(`${base}/deep/a.md`, { content: 'three', expected_sha256: hashOf('one') });
  expect([stale.status, await detailOf(stale)]).toEqual([409, expect.stringContaining(hashOf('two'))]);
  expect(await readFile(join(outputs, 'deep', 'a.md'), 'utf8')).toBe('two');
});

it('[artifacts.edit.refused] refuses files that are not text, paths that lead elsewhere, and large files', async () => {
  await mkdir(outputs, { recursive: true });
  await writeFile(join(outputs, 'b.bin'), new Uint8Array([0xff, 0xfe, 0]));
  await writeFile(join(service.dataHome, 'secret'), 'CANARY');
  await symlink(join(service.dataHome, 'secret'), join(outputs, 'link.md'));
  const expected_sha256 = hashOf('x');
  for (const name of ['b.bin', 'link.md', '..%2f..%2fsecret', 'absent/c.md']) {
    const answered = await ann.put(`${base}/${name}`, { content: 'x', expected_sha256 });
    expect([name, Math.floor(answered.status / 100)]).toEqual([name, 4]);
  }
  expect(await readFile(join(service.dataHome, 'secret'), 'utf8')).toBe('CANARY');
  expect((await ann.put(`${base}/d.md`, { content: 'x'.repeat(2_097_153) })).status).toBe(413);
  expect((await ann.put(`${base}/d.md`, { content: 'x', expected_sha256: 'no hash' })).status).toBe(422);
  service.model.enqueue(answer.hangMidStream('some words'));
  const running = await ann.post(`/api/graph/threads/${thread}/runs/stream`, question('long'));
  expect((await ann.put(`${base}/d.md`, { content: 'x' })).status).toBe(409);
  await running.body?.cancel();
});
