// `.skill` packages that somebody prepared: an entry that is not safe condemns the whole, and bombs are not unpacked.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { ownTime } from '../support/own-time.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { type RawEntry, zipOf } from '../support/zip.ts';

let service: TestService;
let ann: HttpClient;
let outputs: string;
let base: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  const thread = await newThread(ann);
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  outputs = join(service.dataHome, 'users', id, 'threads', thread, 'user-data', 'outputs');
  base = `/api/threads/${thread}/artifacts/mnt/user-data/outputs`;
  await mkdir(outputs, { recursive: true });
});
afterAll(() => service.close());

const SKILL: RawEntry = { name: 'tea/SKILL.md', text: '# Tea' };

async function member(zip: Uint8Array, name = 'SKILL.md'): Promise<Response> {
  await writeFile(join(outputs, 'tea.skill'), zip);
  const answer = await ann.get(`${base}/tea.skill/${name}`);
  expect(await readdir(outputs)).toEqual(['tea.skill']);
  return answer;
}

it.each<[string, RawEntry]>([
  ['..', { name: 'tea/../../evil.sh', text: 'x' }],
  ['an absolute name', { name: '/etc/cron.d/evil', text: 'x' }],
  ['a drive', { name: 'C:/evil.bat', text: 'x' }],
  ['a backslash', { name: 'tea\\..\\evil', text: 'x' }],
  ['a NUL', { name: 'tea/SKILL.md\0.png', text: 'x' }],
  ['a link', { name: 'tea/link', text: '/etc/passwd', mode: 0o120777 }],
  ['a device', { name: 'tea/null', text: '', mode: 0o020666 }],
  ['a pipe', { name: 'tea/pipe', text: '', mode: 0o010600 }],
  ['one name twice', { name: 'tea/SKILL.md', text: 'another' }],
  ['the name in other letters', { name: 'tea/skill.md', text: 'another' }],
])('[hostile.S07] %s in a package refuses the whole, whichever member is asked for', async (_, entry) => {
  for (const entries of [
    [SKILL, entry],
    [entry, SKILL],
  ]) {
    const answer = await member(await zipOf(entries));
    expect([answer.status, (await answer.text()).includes(service.dataHome)]).toEqual([400, false]);
  }
});

it('[hostile.S07] a package with folders of its own is read', async () => {
  const answer = await member(await zipOf([{ name: 'tea/', text: '', mode: 0o040755 }, SKILL]));
  expect([answer.status, await answer.text()]).toEqual([200, '# Tea']);
});

it('[hostile.S08] bombs that say what they are: 413 without unpacking them', async () => {
  const half = 'x'.repeat(60 * 1_048_576);
  const bombs = [
    await zipOf([SKILL, { name: 'tea/zeros', text: ' '.repeat(16 * 1_048_576) }]),
    await zipOf(Array.from({ length: 2_100 }, (_, index) => ({ name: `tea/${index}`, text: '' }))),
    // Each is fine by its ratio, all together are too much.
    zipByHand([
      { name: 'SKILL.md', data: Buffer.from('# Tea') },
      { name: 'a', data: deflateRawSync(half), size: 60 * 1_048_576, padding: 700_000 },
      { name: 'b', data: deflateRawSync(half), size: 60 * 1_048_576, padding: 700_000 },
    ]),
  ];
  for (const bomb of bombs) {
    const took = ownTime();
    const answer = await member(bomb);
    expect(answer.status).toBe(413);
    await answer.body?.cancel();
    expect(took()).toBeLessThan(5_000);
  }
});

it('[hostile.S08] a member that is larger than it says is not unpacked beyond that', async () => {
  const honest = Buffer.from('x'.repeat(1_000));
  const lying = zipByHand([{ name: 'SKILL.md', data: deflateRawSync(Buffer.alloc(50_000_000)), size: 10 }]);
  expect((await member(lying)).status).toBe(400);
  const huge = zipByHand([{ name: 'SKILL.md', data: deflateRawSync(honest), size: 0xffff_fff0 }]);
  expect((await member(huge)).status).toBe(413);
  const nested = await zipOf([SKILL, { name: 'tea/inner.skill', text: 'PK\u0003\u0004' }]);
  expect((await member(nested, 'inner.skill/SKILL.md')).status).toBe(404);
});

it('[hostile.S09] the head of a SKILL.md is text, whatever it holds', async () => {
  const laughs = Array.from(
    { length: 9 },
    (_, n) => `l${n + 1}: &l${n + 1} [${'*l'.concat(`${n},`).repeat(9)}]`,
  );
  const head = [
    '---',
    'name: ../<b>x</b>',
    'l0: &l0 [ha]',
    ...laughs,
    '__proto__: {x: 1}',
    '!!js/function x',
    '---',
  ];
  const text = `${head.join('\n')}\n`;
  const answer = await member(await zipOf([{ name: 'SKILL.md', text }]));
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
    'text/markdown; charset=utf-8',
    text,
  ]);
});

it.each([
  ['without a head', 'no head at all'],
  ['with a head that does not end', '---\nname: x\n'],
  ['with markup', '---\nname: "<img src=x onerror=alert(1)>"\n---\n<script>alert(1)</script>\n'],
  ['with a description of megabytes', `---\ndescription: ${randomBytes(3_000_000).toString('hex')}\n---\n`],
])('[hostile.S09] one %s is that text, sealed off', async (_, text) => {
  const answer = await member(await zipOf([{ name: 'SKILL.md', text }]));
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await answer.text()) === text).toBe(true);
});

it('[hostile.S09] names that are parts of every object are no members', async () => {
  const zip = await zipOf([SKILL]);
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect([name, (await member(zip, name)).status]).toEqual([name, 404]);
});

interface Packed {
  readonly name: string;
  readonly data: Buffer;
  /** What it says that it unpacks to. */
  readonly size?: number;
  /** Bytes that it says to be packed into beside those that there are. */
  readonly padding?: number;
}

/** A zip by hand, so that it can lie. Entries without a size are stored. */
function zipByHand(entries: readonly Packed[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, size, padding = 0 } of entries) {
    const body = Buffer.concat([data, Buffer.alloc(padding)]);
    const numbers = Buffer.alloc(26);
    numbers.writeUInt16LE(20, 0);
    numbers.writeUInt16LE(size === undefined ? 0 : 8, 4);
    numbers.writeUInt32LE(body.length, 14);
    numbers.writeUInt32LE(size ?? body.length, 18);
    numbers.writeUInt16LE(name.length, 22);
    locals.push(Buffer.from('PK\u0003\u0004'), numbers, Buffer.from(name), body);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), numbers, rest, Buffer.from(name));
    offset += 30 + name.length + body.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
}
