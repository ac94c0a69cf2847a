// The web app's files and pages.
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const PAGES = ['/', '/login', '/register', '/setup', '/threads/01a1-b_C', '/threads/x?tab=1'];
/** Pages before the sign-in, chats, a skill of the list, and an address that leads to the first settings. */
const OPENED_ELSEWHERE = [
  ...['/', '/login', '/register', '/settings', '/setup'],
  ...['/skills/$skillName', '/threads/$threadId'],
];
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))});`;

let folder: string;
let root: string;
let service: TestApp;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-service-web-'));
  root = join(folder, 'dist');
  service = await openTestApp({ app: { webRoot: root } });
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function build(): Promise<void> {
  await mkdir(join(root, 'assets'), { recursive: true });
  await writeFile(join(root, 'index.html'), '<!doctype html><title>App</title>');
  await writeFile(join(root, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(root, '.sources.json'), 'secret');
  await writeFile(join(root, 'assets', 'index-Ab12_x.js'), SCRIPT);
  await writeFile(join(folder, 'outside.txt'), 'secret');
}

it('[http.web] all pages are the one page of the app, and are revalidated each time', async () => {
  await build();
  for (const path of PAGES) {
    const answer = await service.client().get(path);
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-cache']);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<title>App</title>');
  }
});

it('[http.web] every address that the app routes is its page', async () => {
  await build();
  const router = await readFile(join(ROOT, 'web/src/router.tsx'), 'utf8');
  const paths = [...router.matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path = '']) =>
    path.replace(/\$\w+/, 'x1'),
  );
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) expect([path, (await service.client().get(path)).status]).toEqual([path, 200]);
});

it('[web.pages] every page is in the sidebar or the navigation of the settings, unless it is opened elsewhere', async () => {
  const text = async (file: string) => readFile(join(ROOT, 'web/src', file), 'utf8');
  const navigations = await Promise.all(['app-shell.tsx', 'settings/settings-page.tsx'].map(text));
  const linked = new Set(
    navigations.flatMap((it) => [...it.matchAll(/^ {2}\{ to: '([^']*)', label: /gm)].map(([, path]) => path)),
  );
  expect(linked.size).toBeGreaterThan(5);
  const paths = [...(await text('router.tsx')).matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path]) => path);
  expect(paths.filter((path) => !linked.has(path)).toSorted()).toEqual(OPENED_ELSEWHERE);
});

it('[http.principal] a file in place of a route does not make the route public', async () => {
  for (const path of ['api/v1/auth/me', 'api/v1/auth/api-keys', 'api/threads/x']) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '{}');
    expect([path, (await service.client().get(`/${path}`)).status]).toEqual([path, 401]);
  }
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('[http.web] before the app is built, its pages say so and reload', async () => {
  for (const path of PAGES) {
    const answer = await service.client().get(path);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.text()).toMatch(/http-equiv="refresh".*being built/s);
  }
  await build();
  expect((await service.client().get('/')).status).toBe(200);
});

it('[http.web] hashed files are cached without expiry, compressed, and have an ETag', async () => {
  await build();
  const path = '/assets/index-Ab12_x.js';
  const plain = await service.client().get(path);
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await plain.text()).toBe(SCRIPT);

  const compressed = await service.client().get(path, { 'accept-encoding': 'gzip, br' });
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  expect(gunzipSync(await compressed.arrayBuffer()).toString()).toBe(SCRIPT);

  const etag = plain.headers.get('etag') ?? '';
  const again = await service.client().get(path, { 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await service.client().get('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  expect((await service.client().send('HEAD', path)).status).toBe(200);
});

it('[http.web.once] a file is read and compressed once for all requests, and again after a change', async () => {
  await build();
  const file = join(root, 'assets', 'index-Ab12_x.js');
  const ask = async (encoding: string) => {
    const answer = await service.client().get('/assets/index-Ab12_x.js', { 'accept-encoding': encoding });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  };
  const then = new Date('2026-11-20T12:00:00Z');
  await utimes(file, then, then);
  const early = await Promise.all(['gzip', 'gzip', 'identity'].map(ask));
  expect(new Set(early)).toEqual(new Set([SCRIPT]));
  // Nothing shows that the text is another one: a process that read the file again would return it.
  await writeFile(file, SCRIPT.toUpperCase());
  await utimes(file, then, then);
  expect([await ask('gzip'), await ask('identity')]).toEqual([SCRIPT, SCRIPT]);
  await utimes(file, then, new Date('2026-11-20T12:00:02Z'));
  expect([await ask('gzip'), await ask('identity')]).toEqual([SCRIPT.toUpperCase(), SCRIPT.toUpperCase()]);
});

it('[web.unknown-page] a browser gets the page for an unknown address, and JSON under the names of the API', async () => {
  await build();
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const ann = await service.user();
  for (const client of [service.client(), ann]) {
    const answer = await client.get('/no/such/page', headers);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('etag')]).toEqual([
      404,
      'text/html; charset=utf-8',
      null,
    ]);
    expect(await answer.text()).toContain('<title>App</title>');
  }
  for (const path of ['/api/absent.html', '/api', '/health/absent'])
    expect([
      path,
      (await ann.get(path, headers)).status,
      (await ann.get(path, headers)).headers.get('content-type'),
    ]).toEqual([path, 404, 'application/json']);
  expect((await service.client().get('/api/absent.html', headers)).status).toBe(401);
});

it('[http.web.public] nothing else is public, and nothing outside the folder is served', async () => {
  await build();
  await symlink(join(folder, 'outside.txt'), join(root, 'link.txt'));
  const ann = await service.user();
  const paths = [
    '/.sources.json',
    '/assets/.hidden',
    '/assets',
    '/assets/',
    '/assets/absent.js',
    '/absent.js',
    '//favicon.svg',
    '/favicon.svg/',
    '/Favicon.svg',
    '/%66avicon.svg',
    '/..%2foutside.txt',
    '/assets/..%2f..%2foutside.txt',
    '/assets%5c..%5coutside.txt',
    '/favicon.svg%00',
    '/login/',
    '/threads',
    '/api/absent.html',
  ];
  for (const path of paths) {
    expect([path, (await service.client().get(path)).status]).toEqual([path, 401]);
    expect([path, (await ann.get(path)).status]).toEqual([path, 404]);
  }
});
