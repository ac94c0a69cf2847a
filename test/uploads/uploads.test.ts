// Files that people hand in: what is kept, under which name, and what is refused.
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { type FileToSend, multipart, sendFiles, type UploadJson } from '../support/upload.ts';

let service: TestService;
let ann: HttpClient;
let userId: string;
let threadId: string;
beforeAll(async () => {
  service = await openTestService({
    config: { uploads: { max_files: 3, max_file_mb: 1, max_total_mb: 2 }, workspace: { thread_quota_mb: 4 } },
  });
  ann = await service.user('ann');
  userId = (await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'))).id;
});
afterAll(() => service.close());
beforeEach(async () => {
  threadId = await newThread(ann);
});

const MIB = 1_048_576;
const send = (...files: FileToSend[]) => sendFiles(ann, threadId, files);
const folder = () => join(service.dataHome, 'users', userId, 'threads', threadId, 'user-data', 'uploads');
const kept = () => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
const drafts = () => readdirSync(join(service.dataHome, 'tmp'));

async function sent(...files: FileToSend[]): Promise<readonly UploadJson[]> {
  return (await jsonOf<{ files: UploadJson[] }>(send(...files))).files;
}

async function listed(): Promise<readonly UploadJson[]> {
  const { files, count } = await jsonOf<{ files: UploadJson[]; count: number }>(
    ann.get(`/api/threads/${threadId}/uploads/list`),
  );
  expect(count).toBe(files.length);
  return files;
}

describe('a file that is handed in', () => {
  it('[uploads.record] is kept and described as contracted', async () => {
    const answer = await jsonOf<object>(send({ name: 'a b.txt', content: 'hello' }));
    const record = {
      filename: 'a b.txt',
      size: 5,
      path: `users/${userId}/threads/${threadId}/user-data/uploads/a b.txt`,
      virtual_path: '/mnt/user-data/uploads/a b.txt',
      artifact_url: `/api/threads/${threadId}/artifacts/mnt/user-data/uploads/a%20b.txt`,
    };
    expect(answer).toEqual({ success: true, files: [record], message: 'Successfully uploaded 1 file(s)' });
    expect(readFileSync(join(service.dataHome, record.path), 'utf8')).toBe('hello');
    const [entry] = await listed();
    expect(entry).toEqual({ ...record, extension: '.txt', modified: expect.any(Number) });
    expect(Math.abs(Date.now() / 1_000 - (entry?.modified ?? 0))).toBeLessThan(60);
  });

  it('[uploads.list] is listed by name; a thread without files lists none, and links are left out', async () => {
    expect(await listed()).toEqual([]);
    await sent({ name: 'b.txt' }, { name: 'a.txt' });
    symlinkSync('/etc/passwd', join(folder(), 'c.txt'));
    expect((await listed()).map(({ filename }) => filename)).toEqual(['a.txt', 'b.txt']);
  });

  it('[uploads.delete] can be removed once', async () => {
    await sent({ name: 'a b.txt' });
    const path = `/api/threads/${threadId}/uploads/a%20b.txt`;
    expect(await jsonOf(ann.delete(path))).toEqual({ success: true, message: 'Deleted a b.txt' });
    expect(kept()).toEqual([]);
    expect((await ann.delete(path)).status).toBe(404);
  });

  it('[uploads.delete] [uploads.traversal] nothing else can be removed', async () => {
    await sent({ name: 'a.txt' });
    for (const name of [
      '..%2fuploads%2fa.txt',
      '%2e%2e',
      '..%5ca.txt',
      'x%00.txt',
      '%252e%252e%2fa.txt',
      'a.txt%2f',
    ]) {
      const { status } = await ann.delete(`/api/threads/${threadId}/uploads/${name}`);
      expect([name, [400, 404, 405].includes(status)]).toEqual([name, true]);
    }
    expect(kept()).toEqual(['a.txt']);
  });

  it('[hostile.S05] [uploads.empty] may have 0 bytes', async () => {
    expect(await sent({ name: 'empty.txt' })).toMatchObject([{ filename: 'empty.txt', size: 0 }]);
  });

  it('[uploads.foreign] cannot go to another user’s thread', async () => {
    const bob = await service.user('bob');
    const answer = await sendFiles(bob, threadId, [{ name: 'a.txt' }]);
    expect(answer.status).toBe(404);
    expect(kept()).toEqual([]);
  });

  it('[uploads.thread-removed] goes with its thread', async () => {
    await sent({ name: 'a.txt' });
    await ann.delete(`/api/threads/${threadId}`);
    expect(existsSync(folder())).toBe(false);
  });
});

describe('names', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\\\..\\\\boot.ini', 'boot.ini'],
    ['/etc/shadow', 'shadow'],
    ['C:\\\\Users\\\\me\\\\cv.txt', 'cv.txt'],
    ['....//x.txt', 'x.txt'],
    ['cafe\u0301.txt', 'caf\u00e9.txt'],
    ['🦊 ü.txt', '🦊 ü.txt'],
    ['dots and spaces. .', 'dots and spaces'],
    ['CON.txt', '_CON.txt'],
    ['.htaccess', '.htaccess'],
    ['-rf', '-rf'],
    ['$(x)`id`.txt', '$(x)`id`.txt'],
    ['%2e%2e%2fx.txt', '%2e%2e%2fx.txt'],
  ])('[hostile.S03] [uploads.names] [uploads.traversal] %j is kept as %j', async (said, name) => {
    const [file] = await sent({ name: said, content: 'x' });
    expect(file?.filename).toBe(name);
    expect(kept()).toEqual([name]);
  });

  it.each(['..', '.', 'a/', 'nul\u0000.txt', 'bell\u0007.txt', 'exe\u202egnp.txt', `${'é'.repeat(128)}`])(
    '[hostile.S03] [uploads.names] %j is refused, and nothing is kept',
    async (name) => {
      const answer = await send({ name: 'good.txt' }, { name });
      expect(answer.status).toBe(400);
      expect(kept()).toEqual([]);
    },
  );

  it('[hostile.S03] [uploads.duplicates] a name that is taken gets a number, twins in NFC, large letters and the same request too', async () => {
    await sent({ name: 'a.txt', content: '1' });
    const names = await sent({ name: 'a.txt', content: '2' }, { name: 'A.TXT', content: '3' });
    expect(names.map(({ filename }) => filename)).toEqual(['a (1).txt', 'A (2).TXT']);
    await sent({ name: 'caf\u00e9' }, { name: 'cafe\u0301' });
    expect(kept()).toContain('caf\u00e9 (1)');
    expect(readFileSync(join(folder(), 'a.txt'), 'utf8')).toBe('1');
  });

  it('[uploads.duplicates] a long name loses letters for its number', async () => {
    const name = `${'é'.repeat(125)}.txt`;
    await sent({ name });
    const [second] = await sent({ name });
    expect(second?.filename).toMatch(/é \(1\)\.txt$/);
    expect(Buffer.byteLength(second?.filename ?? '')).toBeLessThanOrEqual(255);
  });

  it('[hostile.S05] [uploads.duplicates] many at the same time lose nothing', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => sent({ name: 'same.txt', content: `${index}` })),
    );
    const names = answers.flat().map(({ filename }) => filename);
    expect(new Set(names).size).toBe(12);
    const texts = names.map((name) => readFileSync(join(folder(), name), 'utf8'));
    expect(texts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  });
});

describe('limits', () => {
  it.each([
    [
      'too many files',
      Array.from({ length: 4 }, (_, index) => ({ name: `${index}.txt` })),
      'Too many files: at most 3 at once.',
    ],
    [
      'a file too large',
      [{ name: 'ok.txt' }, { name: 'big.bin', content: Buffer.alloc(MIB + 1) }],
      'big.bin is larger than 1 MB.',
    ],
    [
      'all too large',
      [1, 2, 3].map((n) => ({ name: `${n}`, content: Buffer.alloc(MIB * 0.7) })),
      'The files together are larger than 2 MB.',
    ],
  ])('[uploads.limits] %s: 413, nothing is kept', async (_, files, detail) => {
    const answer = await send(...files);
    expect([answer.status, await detailOf(answer)]).toEqual([413, detail]);
    expect(kept()).toEqual([]);
    expect(drafts()).toEqual([]);
  });

  it('[uploads.limits.told] the limits can be read before', async () => {
    const limits = await jsonOf<object>(ann.get('/api/uploads/limits'));
    expect(limits).toEqual({ max_files: 3, max_file_bytes: MIB, max_total_bytes: 2 * MIB });
  });

  it('[uploads.limits] a declared length beyond all limits is 413 before anything is read', async () => {
    const { body, headers } = multipart([{ name: 'a.txt' }]);
    const path = `/api/threads/${threadId}/uploads`;
    const lying = { ...headers, 'content-length': `${4 * MIB}` };
    expect((await ann.send('POST', path, { body, headers: lying })).status).toBe(413);
  });

  it('[uploads.quota] a thread that is full takes nothing more, until something goes', async () => {
    const files = ['1', '2'].map((name) => ({ name, content: Buffer.alloc(MIB) }));
    await sent(...files);
    await sent({ name: '3', content: Buffer.alloc(MIB) });
    const answer = await send(...files);
    expect([answer.status, await detailOf(answer)]).toEqual([
      413,
      'The files of this thread would take more than 4 MB; delete some of them first.',
    ]);
    expect(kept()).toEqual(['1', '2', '3']);
    await ann.delete(`/api/threads/${threadId}/uploads/3`);
    expect((await send(...files)).status).toBe(200);
  });
});

describe('requests that are no form with files', () => {
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    ann.send('POST', `/api/threads/${threadId}/uploads`, { body, headers });

  it.each(['application/json', 'text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded', ''])(
    '[hostile.S10] [uploads.type] %j is 415',
    async (type) => {
      expect((await post('{}', { 'content-type': type })).status).toBe(415);
    },
  );

  it('[uploads.broken] JSON that says it is a form, a form that breaks off, one without files, one with another field', async () => {
    const { body, headers } = multipart([{ name: 'a.txt', content: 'hello' }]);
    const cases = [
      ['{"files": []}', headers],
      ['', headers],
      [body.subarray(0, -10), headers],
      [body.subarray(0, body.length / 2), headers],
      [multipart([]).body, headers],
      [multipart([{ name: 'a.txt' }], 'other').body, headers],
    ] as const;
    for (const [text, type] of cases) {
      const answer = await post(text, type);
      expect([`${text}`.slice(0, 80), answer.status]).toEqual([`${text}`.slice(0, 80), 400]);
    }
    expect(kept()).toEqual([]);
    expect(drafts()).toEqual([]);
  });
});
