// Uploads over a real connection: who is refused in the middle hears why, and what broke off leaves nothing (hostile.S06).
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import type { HttpClient } from '../support/http-client.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { multipart } from '../support/upload.ts';

let service: TestService;
let server: HttpServer;
let ann: HttpClient;
let threadId: string;
beforeAll(async () => {
  service = await openTestService({ config: { uploads: { max_file_mb: 1, max_total_mb: 2 } } });
  server = await listen(service.service.app, httpOptionsSchema.parse({ port: 0 }));
  ann = await service.user('ann');
  threadId = await newThread(ann);
});
afterAll(async () => {
  server.closeNow();
  await service.close();
});

const drafts = () => readdirSync(join(service.dataHome, 'tmp'));
const { body: FORM, headers: TYPE } = multipart([{ name: 'a.bin', content: Buffer.alloc(65_536) }]);
/** The form as far as the end of its file, which never comes. */
const BEGINNING = FORM.subarray(0, FORM.length - 40);

function begin(headers: Record<string, string | number> = {}) {
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const csrf = ann.cookies.get('csrf_token') ?? '';
  const path = `/api/threads/${threadId}/uploads`;
  const sent = request(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...TYPE, cookie, 'x-csrf-token': csrf, ...headers },
  });
  const answer = new Promise<number>((resolve) => {
    sent.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('error', () => resolve(0));
  });
  const closed = new Promise<void>((resolve) => sent.once('close', resolve));
  return { sent, answer, closed };
}

/** Full of what the end of a file begins with, at all distances. */
function nearlyBoundaries(bytes: number, seed: number): Buffer {
  const content = Buffer.alloc(bytes);
  for (let at = seed; at < bytes; ) {
    at += content.write('\r\n--a-boundary-of-the-tes'.slice(0, 1 + (at % 24)), at, 'latin1');
    if (at < bytes) content[at] = (at * 31 + seed) % 256;
    at += 1 + (at % 7);
  }
  return content;
}

describe('an upload over a connection', () => {
  it('[hostile.S06] [uploads.endless] that never ends is answered 413 at the limit, and the connection is closed', async () => {
    const { sent, answer, closed } = begin();
    sent.write(BEGINNING);
    const more = setInterval(() => sent.write(Buffer.alloc(262_144)), 5);
    try {
      expect(await answer).toBe(413);
      await closed;
    } finally {
      clearInterval(more);
    }
    await expect.poll(drafts).toEqual([]);
  });

  it('[hostile.S06] [uploads.endless] whose declared length is too large is answered 413 before it is sent', async () => {
    const { sent, answer } = begin({ 'content-length': 50 * 1_048_576 });
    sent.write(BEGINNING);
    expect(await answer).toBe(413);
    sent.destroy();
  });

  it('[hostile.S06] [uploads.broken] that says a length and goes away leaves nothing', async () => {
    const { sent, closed } = begin({ 'content-length': FORM.length });
    sent.write(BEGINNING);
    await expect.poll(() => drafts().length).toBe(1);
    sent.destroy();
    await closed;
    await expect.poll(drafts).toEqual([]);
  });

  it('[uploads.record] is kept byte for byte, however the form is cut into pieces', async () => {
    const files = [1, 65_535, 65_536, 0, 262_145, 700_001].map((bytes, index) => ({
      name: `cut${index}.bin`,
      content: nearlyBoundaries(bytes, index),
    }));
    const form = multipart(files);
    for (const step of [form.body.length, 65_536, 4_099]) {
      const { sent, answer } = begin({ ...form.headers, 'content-length': form.body.length });
      for (let from = 0; from < form.body.length; from += step) {
        const goesOn = sent.write(form.body.subarray(from, from + step));
        if (!goesOn) await once(sent, 'drain');
      }
      sent.end();
      expect(await answer).toBe(200);
      for (const { name, content } of files) {
        const path = `/api/threads/${threadId}/uploads/${name}`;
        const kept = await ann.get(
          `/api/threads/${threadId}/artifacts/mnt/user-data/uploads/${name}?download=true`,
        );
        expect([name, step, Buffer.from(await kept.arrayBuffer()).equals(content)]).toEqual([
          name,
          step,
          true,
        ]);
        expect((await ann.delete(path)).status).toBe(200);
      }
    }
  });

  it('[uploads.record] that arrives whole is kept', async () => {
    const { sent, answer } = begin();
    sent.end(FORM);
    expect(await answer).toBe(200);
  });
});
