// Packages that somebody made or changed: refused with a sentence, and nothing of them is left.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { packageOf, unzipped, zipOf } from '../support/zip.ts';
import { branchedThread, sendPackage } from './conversation.ts';

let test: TestService;
let good: ReadonlyMap<string, string>;
let threadId: string;
beforeAll(async () => {
  test = await openTestService({
    config: {
      runs: { max_state_mb: 1 },
      import: { max_line_mb: 1, max_manifest_mb: 4, max_unpacked_mb: 20, max_entries: 50 },
    },
  });
  const author = await test.user();
  threadId = await branchedThread(test, author);
  good = await unzipped(author.get(`/api/threads/${threadId}/export`));
});
afterAll(() => test.close());

const threadFile = () => `threads/${threadId}.jsonl`;
const changed = (entries: Record<string, string | undefined>) => {
  const result = new Map(good);
  for (const [name, text] of Object.entries(entries)) {
    if (text === undefined) result.delete(name);
    else result.set(name, text);
  }
  return result;
};
const editedLines = (edit: (lines: string[]) => string[]) =>
  changed({ [threadFile()]: edit((good.get(threadFile()) ?? '').trimEnd().split('\n')).join('\n') });

/** The sentence of the refusal, once nothing of the package is there. */
async function refusal(zip: Uint8Array, path = '/api/threads/import'): Promise<string> {
  const client = await test.user();
  const answer = await sendPackage(client, path, zip);
  expect(answer.status).toBe(422);
  const [issue] = await detailOf<readonly { readonly msg: string; readonly type: string }[]>(answer);
  expect(issue?.type).toBe('package_invalid');
  await expectNothing(client);
  return issue?.msg ?? '';
}

async function expectNothing(client: HttpClient): Promise<void> {
  expect(await jsonOf<unknown>(client.post('/api/threads/search', {}))).toEqual([]);
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  const folder = join(test.dataHome, 'users', id, 'threads');
  await expect.poll(() => readdir(folder).catch(() => [])).toEqual([]);
  expect(await readdir(join(test.dataHome, 'tmp'))).toEqual([]);
}

describe('names', () => {
  it.each([
    ['../../etc/passwd', '..'],
    ['files/t/outputs/../../../x', '..'],
    ['/etc/passwd', 'absolute'],
    ['C:/windows/x', 'absolute'],
    ['files/t/outputs/a\\b', 'backslash'],
    ['files/t/outputs/con', 'device'],
    ['files/t/outputs/LPT1.txt', 'device'],
    ['files/t/outputs/a\u0001b', 'control'],
    ['files/t/outputs/u\u0308', 'normal form'],
    ['files/t/secrets/a', 'no package'],
    ['other.txt', 'no package'],
    ['files//outputs/a', '//'],
  ])('[hostile.S07] [transfer.import.names] %s refuses the package', async (name, reason) => {
    const zip = await zipOf([
      { name: 'manifest.json', text: good.get('manifest.json') ?? '' },
      { name, text: 'x' },
    ]);
    expect((await refusal(zip)).toLowerCase()).toMatch(
      new RegExp(`${escaped(reason)}|relative|absolute|invalid`),
    );
  });

  it('[hostile.S07] [transfer.import.names] a link, and a name that is there twice, refuse the package', async () => {
    const manifest = { name: 'manifest.json', text: good.get('manifest.json') ?? '' };
    const link = { name: 'files/t/outputs/a', text: '/etc/passwd', mode: 0o120777 };
    expect(await refusal(await zipOf([manifest, link]))).toContain('is a link or a device');
    const twice = { name: 'files/t/outputs/a', text: 'x' };
    expect(await refusal(await zipOf([manifest, twice, twice]))).toContain('twice');
  });
});

describe('contents', () => {
  it('[transfer.import.whole] what is no zip, cut off, without a manifest or not what the manifest says', async () => {
    const whole = await packageOf(good);
    expect(await refusal(Buffer.from('no zip at all'))).toContain('not a zip file');
    expect(await refusal(Buffer.alloc(0))).toContain('not a zip file');
    expect(await refusal(whole.subarray(0, whole.length - 40))).toContain('not a zip file');
    const entries = [...good].map(([name, text]) => ({ name, text }));
    const without = entries.filter(({ name }) => name !== 'manifest.json');
    expect(await refusal(await zipOf(without))).toContain('no manifest.json');
    const other = entries.map((entry) =>
      entry.name === threadFile() ? { ...entry, text: entry.text.replace('go on', 'go in') } : entry,
    );
    expect(await refusal(await zipOf(other))).toContain('does not match the manifest');
    const newer = changed({
      'manifest.json': (good.get('manifest.json') ?? '').replace('version": 1', 'version": 2'),
    });
    expect(await refusal(await packageOf(newer))).toContain('format_version');
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    ['a line that is no JSON', (lines) => [...lines.slice(0, 2), '{"type":', ...lines.slice(2)], 'line 3'],
    ['a line of another type', (lines) => [...lines.slice(0, 1), '{"type":"user"}'], 'line 2'],
    ['a field that is wrong', (lines) => lines.map((it) => it.replace('"step":0', '"step":"0"')), 'step'],
    [
      'a field more',
      (lines) => lines.map((it) => it.replace('"type":"run"', '"type":"run","user_id":"x"')),
      'user_id',
    ],
    ['no end', (lines) => lines.slice(0, -1), 'cut off'],
    ['an event less', (lines) => [...lines.slice(0, -2), lines.at(-1) ?? ''], 'missing'],
    [
      'lines in another order',
      (lines) => [lines[0] ?? '', lines.at(-2) ?? '', ...lines.slice(1)],
      'of a run that is not there',
    ],
    ['no thread', (lines) => lines.slice(1), 'does not belong'],
    [
      'a parent that is not there',
      (lines) => lines.filter((it) => !it.includes('"step":-1')),
      'before its parent',
    ],
    [
      'an active run',
      (lines) => lines.map((it) => it.replace('"status":"success"', '"status":"running"')),
      'status',
    ],
    ['a strange id', (lines) => lines.map((it) => it.replace('"run_id":"', '"run_id":"../')), 'run_id'],
    ['deep nesting', (lines) => [...lines.slice(0, 1), `${'['.repeat(5_000)}${']'.repeat(5_000)}`], 'nested'],
    ['a long line', (lines) => [...lines.slice(0, 1), `"${'x'.repeat(1_100_000)}"`], 'longer than 1 MB'],
  ])('[transfer.import.lines] %s', async (_, edit, reason) => {
    expect(await refusal(await packageOf(editedLines(edit)))).toContain(reason);
  });

  it('[transfer.import.lines] two threads with the same runs', async () => {
    const lines = (good.get(threadFile()) ?? '').replace(`"thread_id":"${threadId}"`, '"thread_id":"twin"');
    const manifest = (good.get('manifest.json') ?? '').replace('"kind": "thread"', '"kind": "account"');
    const twins = changed({ 'threads/twin.jsonl': lines, 'manifest.json': manifest });
    const zip = await packageOf(twins);
    expect(await refusal(zip, '/api/account/import')).toContain('ids that other threads of the package have');
  });

  it('[hostile.S08] [transfer.import.limits] too much unpacked, too many entries, two threads where one is asked for', async () => {
    const large = changed({ [`files/${threadId}/outputs/zeros`]: '0'.repeat(21 * 1_048_576) });
    expect(await refusal(await packageOf(large))).toContain('more than 20 MB');
    const many = Array.from({ length: 60 }, (_, n) => [`files/${threadId}/outputs/${n}`, 'x'] as const);
    expect(await refusal(await packageOf(changed(Object.fromEntries(many))))).toContain(
      'more than 50 entries',
    );
    const stray = changed({ 'files/another/outputs/a': 'x' });
    expect(await refusal(await packageOf(stray))).toContain('belongs to no thread');
    const account = changed({
      'manifest.json': (good.get('manifest.json') ?? '').replace('"kind": "thread"', '"kind": "account"'),
    });
    expect(await refusal(await packageOf(account))).toContain('not that of one thread');
  });

  it('[transfer.import.limits] a package that is too large is a 413, another content type a 415', async () => {
    const small = await openTestService({ config: { import: { max_package_mb: 1 } } });
    const client = await small.user();
    expect((await sendPackage(client, '/api/account/import', Buffer.alloc(1_100_000))).status).toBe(413);
    expect((await client.post('/api/account/import', {})).status).toBe(415);
    await small.close();
  });
});

describe('what is made to exhaust', () => {
  const manifestWith = (filling: string) =>
    (good.get('manifest.json') ?? '').replace('"entries": {', `"filling": [${filling}], "entries": {`);

  it('[hostile.S08] [transfer.import.limits] a manifest that unpacks to more than its limit is refused unread', async () => {
    // Packed a few hundred kilobytes; where it is within what a package may hold it is read in slices.
    const large = changed({ 'manifest.json': manifestWith('0,'.repeat(8 * 1_048_576)) });
    const entries = [...large].map(([name, text]) => ({ name, text }));
    expect(await refusal(await zipOf(entries))).toContain('The manifest is larger than 4 MB');
    const values = changed({ 'manifest.json': manifestWith(`${'0,'.repeat(1_100_000)}0`) });
    const many = [...values].map(([name, text]) => ({ name, text }));
    expect(await refusal(await zipOf(many))).toContain('more than 1000000 values');
  });

  it.each<[string, (line: string) => string, string]>([
    [
      'a million messages',
      (line) => line.replace('"messages":[', `"messages":[${'0,'.repeat(450_000)}`),
      'a message',
    ],
    [
      'a message with many keys',
      (line) => line.replace('"type":"human"', `"type":"human",${manyKeys(1_000)}`),
      'keys',
    ],
    ['many next steps', (line) => line.replace('"next":[', `"next":[${'"x",'.repeat(1_000)}`), 'at most 100'],
    [
      'a cycle of parents',
      (line) =>
        line
          .replace(/"parent_id":(?:null|"[^"]*")/, '"parent_id":"itself"')
          .replace(/"checkpoint_id":"[^"]*"/, '"checkpoint_id":"itself"'),
      'before its parent',
    ],
  ])('[hostile.S49] [transfer.import.lines] %s', async (_, edit, reason) => {
    const edited = editedLines((lines) =>
      lines.map((line) =>
        line.includes('"type":"checkpoint"') && line.includes('"human"') ? edit(line) : line,
      ),
    );
    expect(await refusal(await packageOf(edited))).toContain(reason);
  });

  it('[hostile.S49] [state.limit] a state that is larger than that of a thread may be', async () => {
    const fields = { content: 'x'.repeat(700_000), name: null, additional_kwargs: {}, response_metadata: {} };
    const edited = editedLines((lines) =>
      lines.map((line, index) =>
        line.replace(
          /("type":"checkpoint".*?"messages":\[)(\{?)/,
          (_, before: string, first: string) =>
            `${before}${JSON.stringify({ type: 'human', id: `m${index}`, ...fields })}${first && ',{'}`,
        ),
      ),
    );
    expect(await refusal(await packageOf(edited))).toContain('larger than 1 MB (runs.max_state_mb)');
  });

  it('[hostile.S49] what looks like a tool server, a hook or a program is data like any other', async () => {
    const strange = {
      mcpServers: { evil: { command: 'sh', args: ['-c', 'touch /tmp/owned'] } },
      hooks: { on_import: 'sh' },
      lc: 1,
      constructor: { prototype: { polluted: true } },
    };
    const edited = editedLines((lines) =>
      lines.with(
        0,
        (lines[0] ?? '').replace(/"metadata":\{[^}]*\}/, `"metadata":${JSON.stringify(strange)}`),
      ),
    );
    const client = await test.user();
    const answer = await sendPackage(client, '/api/threads/import', await packageOf(edited));
    expect(answer.status).toBe(200);
    const [thread] = await jsonOf<{ metadata: object }[]>(client.post('/api/graph/threads/search', {}));
    expect(thread?.metadata).toMatchObject({ mcpServers: strange.mcpServers, hooks: strange.hooks });
    expect({}).not.toHaveProperty('polluted');
  });
});

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
