// Uploads while other things happen to the same thread and the same names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { multipart, sendFiles, type UploadJson } from '../support/upload.ts';

let service: TestService;
let server: HttpServer;
let ann: HttpClient;
let userId: string;
let threadId: string;
beforeAll(async () => {
  service = await openTestService();
  server = await listen(service.service.app, httpOptionsSchema.parse({ port: 0 }));
  ann = await service.user('ann');
  userId = (await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'))).id;
});
afterAll(async () => {
  server.closeNow();
  await service.close();
});
beforeEach(async () => {
  threadId = await newThread(ann);
});

const drafts = () => {
  const path = join(service.dataHome, 'tmp');
  return existsSync(path) ? readdirSync(path) : [];
};
const folder = () => join(service.dataHome, 'users', userId, 'threads', threadId);
const uploads = () => join(folder(), 'user-data', 'uploads');

/** An upload whose last bytes wait for `finish`. */
async function beginUpload(name: string, content: Buffer) {
  const { body, headers } = multipart([{ name, content }]);
  const cookie = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const sent = request(`${server.url}/api/threads/${threadId}/uploads`, {
    method: 'POST',
    headers: { ...headers, cookie, 'x-csrf-token': ann.cookies.get('csrf_token') ?? '' },
  });
  const answered = new Promise<{ status: number; names: string[] }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      const { files = [] } = JSON.parse(Buffer.concat(pieces).toString()) as { files?: UploadJson[] };
      resolve({ status: response.statusCode ?? 0, names: files.map(({ filename }) => filename) });
    });
  });
  const before = drafts().length;
  sent.write(body.subarray(0, body.length - 10));
  await expect.poll(() => drafts().length).toBe(before + 1);
  const finish = () => {
    sent.end(body.subarray(body.length - 10));
    return answered;
  };
  return { finish };
}

it('[uploads.duplicates] of two concurrent uploads with one name, each is stored whole', async () => {
  const [first, second] = [Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)];
  const begun = [await beginUpload('same.bin', first), await beginUpload('same.bin', second)];
  const [one, two] = await Promise.all(begun.map(({ finish }) => finish()));
  expect([one?.names, two?.names].flat().sort()).toEqual(['same (1).bin', 'same.bin']);
  expect(readFileSync(join(uploads(), one?.names[0] ?? '')).equals(first)).toBe(true);
  expect(readFileSync(join(uploads(), two?.names[0] ?? '')).equals(second)).toBe(true);
});

it('[uploads.delete] a file that is deleted while another one of its name arrives makes room for it', async () => {
  await sendFiles(ann, threadId, [{ name: 'a.txt', content: 'old' }]);
  const arriving = await beginUpload('a.txt', Buffer.from('n'.repeat(100_000)));
  // Nobody sees what is under way, and nobody can delete it.
  expect((await ann.delete(`/api/threads/${threadId}/uploads/a.txt`)).status).toBe(200);
  expect((await ann.delete(`/api/threads/${threadId}/uploads/a.txt`)).status).toBe(404);
  expect(await arriving.finish()).toEqual({ status: 200, names: ['a.txt'] });
  expect(readFileSync(join(uploads(), 'a.txt'), 'utf8')).toBe('n'.repeat(100_000));
});

it('[uploads.thread-removed] a thread that is deleted while files arrive takes them along', async () => {
  const arriving = await beginUpload('late.txt', Buffer.alloc(100_000, 1));
  expect((await ann.delete(`/api/threads/${threadId}`)).status).toBe(200);
  expect((await arriving.finish()).status).toBe(404);
  await expect.poll(drafts).toEqual([]);
  expect(existsSync(uploads()) ? readdirSync(uploads()) : []).toEqual([]);
});
