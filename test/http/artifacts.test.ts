// A thread's files over HTTP: which ones are displayed or only downloaded, parts, names, and what is never
// served.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { zipOf } from '../support/zip.ts';

let service: TestService;
let ann: HttpClient;
let thread: string;
let base: string;
let userData: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  thread = await newThread(ann);
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  userData = join(service.dataHome, 'users', id, 'threads', thread, 'user-data');
  base = `/api/threads/${thread}/artifacts/mnt/user-data`;
});
afterAll(() => service.close());

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(userData, path)), { recursive: true });
  await writeFile(join(userData, path), content);
}

describe('a file', () => {
  it.each([
    ['notes.md', '# Tea', 'text/markdown; charset=utf-8'],
    ['table.csv', 'a,b', 'text/csv; charset=utf-8'],
    ['data.json', '{}', 'application/json; charset=utf-8'],
    ['main.ts', 'export {};', 'text/plain; charset=utf-8'],
    ['script.js', 'alert(1)', 'text/plain; charset=utf-8'],
    ['style.css', 'a {}', 'text/plain; charset=utf-8'],
    ['Makefile', 'all:', 'text/plain; charset=utf-8'],
    ['umlauts.txt', 'Füße', 'text/plain; charset=utf-8'],
    ['picture.png', new Uint8Array([137, 80, 78, 71, 0]), 'image/png'],
    ['paper.pdf', '%PDF-1.7', 'application/pdf'],
  ])('[artifacts.inline] %s is shown as what it is', async (name, content, type) => {
    await put(`outputs/${name}`, content);
    const answer = await ann.get(`${base}/outputs/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-disposition')).toMatch(/^inline;/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(content));
  });

  it.each([
    ['page.html', '<script>alert(1)</script>'],
    ['page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['feed.xml', '<?xml-stylesheet href="a.xsl"?><a/>'],
    ['sheet.xsl', '<a/>'],
    ['page.mhtml', 'MIME-Version: 1.0\n\0'],
    ['blob', new Uint8Array([0, 1, 2])],
    ['program.bin', new Uint8Array([127, 69, 76, 70, 0])],
  ])(
    '[hostile.S11] [artifacts.active] %s is always a download, isolated from this origin',
    async (name, content) => {
      await put(`outputs/${name}`, content);
      const answer = await ann.get(`${base}/outputs/${name}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/);
      expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      await answer.body?.cancel();
    },
  );

  it('[artifacts.text-sniffed] markup is plain text unless its name says otherwise', async () => {
    await put('outputs/README', '<html><script>alert(1)</script>');
    const answer = await ann.get(`${base}/outputs/README`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    await answer.body?.cancel();
  });

  it('[artifacts.download] is a download on request', async () => {
    await put('workspace/notes.md', 'x');
    const answer = await ann.get(`${base}/workspace/notes.md?download=true`);
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="notes.md"; filename*=UTF-8''notes.md`,
    );
    await answer.body?.cancel();
    expect((await ann.get(`${base}/workspace/notes.md?download=maybe`)).status).toBe(422);
  });

  it('[hostile.S03] [artifacts.names] keeps any name, and no name reaches into the headers', async () => {
    for (const name of [
      'Tee "grün" 🍵;.md',
      "it's (1)*.txt",
      '-rf',
      '.htaccess',
      '$(x)',
      '100%.txt',
      'CON',
      'a%2eb',
    ]) {
      await put(`uploads/${name}`, name);
      const answer = await ann.get(`${base}/uploads/${encodeURIComponent(name)}`);
      expect([name, answer.status, await answer.text()]).toEqual([name, 200, name]);
      const [, encoded = ''] = answer.headers.get('content-disposition')?.split("filename*=UTF-8''") ?? [];
      expect([name, decodeURIComponent(encoded), /[^!-~]/.test(encoded)]).toEqual([name, name, false]);
    }
  });

  it('[artifacts.head] responds to HEAD with the headers alone', async () => {
    await put('workspace/notes.md', 'four');
    const answer = await ann.send('HEAD', `${base}/workspace/notes.md`);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '4']);
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(await answer.text()).toBe('');
    await put('workspace/empty.txt', '');
    const empty = await ann.get(`${base}/workspace/empty.txt`);
    expect([empty.status, await empty.text()]).toEqual([200, '']);
  });
});

describe('a file that the client has', () => {
  it('[artifacts.etag] is not sent again until it changes', async () => {
    await put('workspace/a.txt', 'one');
    const first = await ann.get(`${base}/workspace/a.txt`);
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    await first.body?.cancel();
    for (const condition of [
      { 'if-none-match': etag },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
    ]) {
      const again = await ann.get(`${base}/workspace/a.txt`, condition);
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    await put('workspace/a.txt', 'two');
    const changed = await ann.get(`${base}/workspace/a.txt`, { 'if-none-match': etag });
    expect([changed.status, await changed.text()]).toEqual([200, 'two']);
  });
});

describe('a part of a file', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
  ])('[artifacts.range] %s', async (range, part, told) => {
    await put('workspace/ten.txt', '0123456789');
    const answer = await ann.get(`${base}/workspace/ten.txt`, { range });
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      206,
      part,
      told,
    ]);
    expect(answer.headers.get('content-length')).toBe(String(part.length));
  });

  it('[hostile.S14] [artifacts.range.refused] has one part at most: several are the whole file', async () => {
    await put('workspace/ten.txt', '0123456789');
    const many = `bytes=${Array.from({ length: 10_000 }, (_, at) => `${at}-${at}`).join(',')}`;
    for (const range of ['bytes=0-1,3-4', 'bytes=0-1, -2', many]) {
      const answer = await ann.get(`${base}/workspace/ten.txt`, { range });
      expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
      expect(answer.headers.has('content-range')).toBe(false);
    }
    for (const range of [
      'bytes=0-1,x',
      'bytes=0-1,',
      'bytes=10-',
      'bytes=5-4',
      'bytes=--1',
      'bytes=-',
      'bytes=-0',
      'bytes=x',
    ]) {
      const answer = await ann.get(`${base}/workspace/ten.txt`, { range });
      const name = range.slice(0, 20);
      expect([name, answer.status, answer.headers.get('content-range')]).toEqual([name, 416, 'bytes */10']);
    }
    const others = await ann.get(`${base}/workspace/ten.txt`, { range: 'lines=1-2' });
    expect([others.status, await others.text()]).toEqual([200, '0123456789']);
  });

  it('[artifacts.if-range] is the whole file if it changed since', async () => {
    await put('workspace/part.txt', '0123456789');
    const first = await ann.get(`${base}/workspace/part.txt`);
    const etag = first.headers.get('etag') ?? '';
    await first.body?.cancel();
    const ask = async (condition: string) => {
      const answer = await ann.get(`${base}/workspace/part.txt`, {
        range: 'bytes=0-1',
        'if-range': condition,
      });
      return [answer.status, await answer.text()];
    };
    expect(await ask(etag)).toEqual([206, '01']);
    expect(await ask(first.headers.get('last-modified') ?? '')).toEqual([206, '01']);
    expect(await ask('"another"')).toEqual([200, '0123456789']);
    expect(await ask(`W/${etag}`)).toEqual([200, '0123456789']);
  });
});

describe('the list', () => {
  it('[artifacts.list] names every file once, page by page, and the files that the agent presented', async () => {
    const own = await newThread(ann);
    const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
    const folder = join(service.dataHome, 'users', id, 'threads', own, 'user-data');
    expect(await jsonOf(ann.get(`/api/threads/${own}/artifacts`))).toMatchObject({
      artifacts: [],
      total: 0,
      complete: true,
    });
    for (const path of ['workspace/b/c.txt', 'outputs/é 1.md', 'uploads/a.txt']) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), 'four');
    }
    const shown = '/mnt/user-data/outputs/é 1.md';
    await jsonOf(ann.post(`/api/threads/${own}/state`, { values: { artifacts: [shown] } }));
    const first = await ann.get(`/api/threads/${own}/artifacts?limit=2`);
    expect(first.headers.get('x-pagination-next')).toBe('2');
    const page = await bodyOf<{ artifacts: { path: string; artifact_url: string }[] }>(first);
    expect(page).toMatchObject({
      total: 3,
      complete: true,
      artifacts: [
        { path: shown, size: 4, presented: true },
        { path: '/mnt/user-data/uploads/a.txt', presented: false },
      ],
    });
    expect((await ann.get(page.artifacts[0]?.artifact_url ?? '')).status).toBe(200);
    const rest = await jsonOf(ann.get(`/api/threads/${own}/artifacts?limit=2&offset=2`));
    expect(rest).toMatchObject({ artifacts: [{ path: '/mnt/user-data/workspace/b/c.txt' }] });
  });
});

describe('a member of a .skill package', () => {
  it('[artifacts.skill] is read from the zip, also below its one folder', async () => {
    const zip = await zipOf([
      { name: 'tea/SKILL.md', text: '# Tea' },
      { name: 'tea/page.html', text: '<b>' },
    ]);
    await put('outputs/tea.skill', zip);
    const answer = await ann.get(`${base}/outputs/tea.skill/SKILL.md`);
    expect([answer.status, await answer.text()]).toEqual([200, '# Tea']);
    const whole = await ann.get(`${base}/outputs/tea.skill/tea/SKILL.md`, { range: 'bytes=2-' });
    expect([whole.status, await whole.text()]).toEqual([206, 'Tea']);
    const active = await ann.get(`${base}/outputs/tea.skill/page.html`);
    expect(active.headers.get('content-disposition')).toMatch(/^attachment/);
    await active.body?.cancel();
    expect((await ann.get(`${base}/outputs/tea.skill/absent.md`)).status).toBe(404);
    expect((await ann.get(`${base}/outputs/tea.skill/..%2fSKILL.md`)).status).toBe(400);
  });

  it('[artifacts.skill.limits] is refused in a bomb or a bad zip, and read from a folder of that name', async () => {
    await put('outputs/bomb.skill', await zipOf([{ name: 'SKILL.md', text: ' '.repeat(17 * 1024 * 1024) }]));
    expect((await ann.get(`${base}/outputs/bomb.skill/SKILL.md`)).status).toBe(413);
    await put('outputs/bad.skill', 'no zip');
    expect((await ann.get(`${base}/outputs/bad.skill/SKILL.md`)).status).toBe(400);
    await put('outputs/folder.skill/SKILL.md', 'plain');
    expect(await (await ann.get(`${base}/outputs/folder.skill/SKILL.md`)).text()).toBe('plain');
  });
});
