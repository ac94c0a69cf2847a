// Forms that lie about what they hold, and forms that never come to their end.
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { multipart, sendFiles, type UploadJson } from '../support/upload.ts';

let service: TestService;
let ann: HttpClient;
let userId: string;
let threadId: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  userId = (await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'))).id;
});
afterAll(() => service.close());
beforeEach(async () => {
  threadId = await newThread(ann);
});

const drafts = () => readdirSync(join(service.dataHome, 'tmp'));
const kept = () => {
  const folder = join(service.dataHome, 'users', userId, 'threads', threadId, 'user-data', 'uploads');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

it('[hostile.S05] a file is shown by its name and its bytes, not by what the form says of it', async () => {
  const script = 'GIF89a/*<script>alert(1)</script>*/=1;';
  const { body, headers } = multipart([
    { name: 'both.gif', content: script },
    { name: 'both.html', content: script },
    { name: 'both.pdf', content: `%PDF-1.7\n${script}` },
    { name: 'both', content: script },
  ]);
  const lying = body.toString('latin1').replaceAll('application/octet-stream', 'text/html');
  const path = `/api/threads/${threadId}/uploads`;
  const sent = await ann.send('POST', path, { body: Buffer.from(lying, 'latin1'), headers });
  const { files } = await jsonOf<{ files: UploadJson[] }>(sent);
  const shown = await Promise.all(
    files.map(async ({ artifact_url }) => {
      const answer = await ann.get(artifact_url);
      await answer.body?.cancel();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      const [kind = ''] = answer.headers.get('content-disposition')?.split(';') ?? [];
      return [answer.headers.get('content-type'), kind];
    }),
  );
  expect(shown).toEqual([
    ['image/gif', 'inline'],
    ['text/html; charset=utf-8', 'attachment'],
    ['application/pdf', 'inline'],
    ['text/plain; charset=utf-8', 'inline'],
  ]);
});

it('[hostile.S05] ten thousand files in one form are 413, and none is kept', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `${index}.txt`, content: 'x' }));
  expect((await sendFiles(ann, threadId, many)).status).toBe(413);
  expect([kept(), drafts()]).toEqual([[], []]);
});

it('[hostile.S05] a field `__proto__` beside the file does no harm', async () => {
  const { status } = await sendWith('Content-Disposition: form-data; name="__proto__"\r\n\r\nx', 50);
  expect([status, kept()]).toEqual([200, ['a.txt']]);
});

/** Taken apart it costs more than a second. */
const CHEAP_MS = 400;

it.each([
  ['fields', 'Content-Disposition: form-data; name="a"\r\n\r\nx'],
  ['files', 'Content-Disposition: form-data; name="files"; filename="b.txt"\r\n\r\nx'],
  ['without a name', 'A: b\r\n\r\nx'],
  ['without anything', ''],
])('[hostile.S64] a form of 100,000 parts is 413 and costs little: %s', async (_, part) => {
  const costs: number[] = [];
  // What else the machine does costs the first one more, or the second one.
  while (costs.length < 3 && !costs.some((cost) => cost < CHEAP_MS)) {
    let answer: Awaited<ReturnType<typeof sendWith>> | undefined;
    costs.push(
      await cpuTimeOf(async () => {
        answer = await sendWith(part, 100_000);
      }),
    );
    expect(answer).toEqual({
      status: 413,
      detail: 'The form has too many parts: at most 10 files and 50 other fields.',
    });
    expect([kept(), drafts()]).toEqual([[], []]);
  }
  expect(Math.min(...costs)).toBeLessThan(CHEAP_MS);
});

/** The part so many times, and a file behind them. */
async function sendWith(part: string, count: number) {
  const { body, headers } = multipart([{ name: 'a.txt', content: 'x' }]);
  const [, boundary = ''] = headers['content-type'].split('boundary=');
  const whole = Buffer.concat([Buffer.from(`--${boundary}\r\n${part}\r\n`.repeat(count)), body]);
  const answer = await ann.send('POST', `/api/threads/${threadId}/uploads`, { body: whole, headers });
  return { status: answer.status, detail: (await bodyOf<{ detail?: string }>(answer)).detail };
}

it('[hostile.S08] packed bodies are 415 on every kind of route', async () => {
  const packed = { 'content-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.alloc(20 * 1_048_576, 32));
  const json = { 'content-type': 'application/json', ...packed };
  const { body, headers } = multipart([{ name: 'a.txt' }]);
  const answers = [
    await ann.send('POST', '/api/threads', { body: bomb, headers: json }),
    await ann.send('POST', `/api/threads/${threadId}/uploads`, {
      body: gzipSync(body),
      headers: { ...headers, ...packed },
    }),
    await ann.send('POST', '/api/account/import', {
      body: bomb,
      headers: { 'content-type': 'application/zip', ...packed },
    }),
    await ann.send('POST', '/api/v1/auth/login/local', {
      body: bomb,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...packed },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([415, 415, 415, 415]);
});

it('[hostile.S06] a body that stops coming ends with its connection, and leaves nothing', async () => {
  const options = httpOptionsSchema.parse({ port: 0, header_timeout_seconds: 3, request_timeout_seconds: 3 });
  const server: HttpServer = await listen(service.service.app, options);
  try {
    const { body, headers } = multipart([{ name: 'a.bin', content: Buffer.alloc(65_536) }]);
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = request(`${server.url}/api/threads/${threadId}/uploads`, {
      method: 'POST',
      headers: { ...headers, cookie, 'x-csrf-token': ann.cookies.get('csrf_token') ?? '' },
    });
    sent.on('error', () => {});
    const closed = new Promise<void>((resolve) => sent.once('close', resolve));
    sent.write(body.subarray(0, 40_000));
    await expect.poll(() => drafts().length).toBe(1);
    await closed;
    await expect.poll(drafts).toEqual([]);
    expect(kept()).toEqual([]);
  } finally {
    server.closeNow();
  }
});
