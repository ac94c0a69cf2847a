// A thread that leaves as a package and comes back: to the same account, to another one, to another service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import type { EventJson } from '../support/record-json.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';
import { installPackage, skillPackage } from '../support/skill-package.ts';
import { packageOf, plainZip, unzipped } from '../support/zip.ts';
import { branchedThread, contentsOf, type Imported, sendPackage, stateOf } from './conversation.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService({ config: { skills: {} } });
});
afterEach(() => test.close());

const zipped = async (client: HttpClient, path: string) =>
  new Uint8Array(await (await client.get(path)).arrayBuffer());
const linesOf = (text: string | undefined) =>
  (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string });
const historyOf = async (client: HttpClient, threadId: string) =>
  (
    await jsonOf<readonly StateJson[]>(client.post(`/api/graph/threads/${threadId}/history`, { limit: 100 }))
  ).map(({ values, next }) => [values.messages?.map(({ content }) => content), next]);
const runsOf = (client: HttpClient, threadId: string) =>
  jsonOf<readonly RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=100`));

interface Listed {
  readonly event_type: string;
  readonly content: unknown;
  readonly feedback?: { readonly comment: string } | null;
}

/** Everything that a reader sees of the thread, without its ids. */
async function seen(client: HttpClient, threadId: string) {
  const runs = await runsOf(client, threadId);
  const messages = client.get(`/api/threads/${threadId}/messages?limit=200`);
  return {
    listed: (await jsonOf<readonly Listed[]>(messages)).map(({ event_type, content, feedback }) => [
      event_type,
      content,
      feedback?.comment,
    ]),
    contents: await contentsOf(client, threadId),
    history: await historyOf(client, threadId),
    runs: runs.map(({ status, stop_reason, total_tokens, message_count }) => ({
      status,
      stop_reason,
      total_tokens,
      message_count,
    })),
    followed: runs.map(({ follow_up_to_run_id: id }) => runs.findIndex(({ run_id }) => run_id === id)),
  };
}

describe('an export', () => {
  it('[transfer.export.contents] of a thread holds its lines, its files, and a manifest that names each of them', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const response = await client.get(`/api/threads/${threadId}/export`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="thread-${threadId}.zip"`);
    const entries = await unzipped(response);
    const threadFile = `threads/${threadId}.jsonl`;
    const noteFile = `files/${threadId}/outputs/note.md`;
    expect([...entries.keys()]).toEqual([threadFile, noteFile, 'manifest.json']);
    expect(entries.get(noteFile)).toBe('kept');
    const lines = linesOf(entries.get(threadFile));
    const count = (type: string) => lines.filter((line) => line.type === type).length;
    expect(count('run')).toBe(3);
    const manifest = JSON.parse(entries.get('manifest.json') ?? '');
    expect(manifest).toMatchObject({
      format: 'agent-service-package',
      format_version: 1,
      kind: 'thread',
      counts: { threads: 1, runs: 3, checkpoints: count('checkpoint'), events: count('event'), files: 1 },
      runs_left_out: 0,
    });
    expect(Object.keys(manifest.entries)).toEqual([threadFile, noteFile]);
    expect(lines.at(-1)).toMatchObject({ type: 'end', runs: 3 });
  });

  it('[transfer.export.secrets] of an account has all its threads and a profile, and nothing that signs anybody in', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const entries = await unzipped(client.get('/api/account/export'));
    expect(entries.has(`threads/${threadId}.jsonl`)).toBe(true);
    const profile = JSON.parse(entries.get('profile.json') ?? '');
    expect(Object.keys(profile).sort()).toEqual(['created_at', 'email', 'id', 'system_role']);
    const everything = [...entries.values()].join('\n');
    for (const secret of ['argon2', 'password', 'CANARY-model-key', ...client.cookies.values()])
      expect(everything).not.toContain(secret);
  });

  it('[transfer.skills] of an account has its skills and switches, which another account can take', async () => {
    const ann = await test.user();
    await newThread(ann);
    const picture = Buffer.from('89504e470d0a1a0a0000', 'hex');
    await installPackage(ann, await skillPackage('plum', { 'assets/a.png': picture }));
    for (const name of ['pear', 'fig']) await ann.post('/api/skills', { content: skillText(name) });
    for (const name of ['pear', 'code-review']) await ann.post(`/api/skills/${name}/disable`);
    const zip = await zipped(ann, '/api/account/export');
    const entries = await unzipped(new Response(zip));
    expect([...entries.keys()].filter((name) => name.startsWith('skills'))).toEqual([
      'skills.json',
      'skills/fig/SKILL.md',
      'skills/pear/SKILL.md',
      'skills/plum/SKILL.md',
      'skills/plum/assets/a.png',
    ]);
    expect(JSON.parse(entries.get('skills.json') ?? '')).toEqual({
      off: ['custom/pear', 'public/code-review'],
    });
    const bob = await test.user();
    await bob.post('/api/skills', { content: skillText('fig', { body: 'of Bob' }) });
    expect(await jsonOf(sendPackage(bob, '/api/account/import', zip))).toMatchObject({
      skills: ['pear', 'plum'],
      skills_left_out: [{ name: 'fig', reason: expect.stringContaining('already') }],
    });
    const { skills } = await jsonOf<{ skills: { path: string; enabled: boolean }[] }>(bob.get('/api/skills'));
    const states = skills.map(({ path, enabled }) => `${path} ${enabled}`);
    expect(states.filter((state) => /custom|review/.test(state))).toEqual([
      'public/code-review false',
      'custom/fig true',
      'custom/pear false',
      'custom/plum true',
    ]);
    const file = await bob.get('/api/skills/plum/files/assets/a.png');
    expect(Buffer.from(await file.arrayBuffer())).toEqual(picture);
    expect(await (await bob.get('/api/skills/fig/files/SKILL.md')).text()).toContain('of Bob');

    const eve = await test.user();
    const damaged = [...entries].map(
      ([name, text]) => [name, name.includes('fig') ? `${text} ` : text] as const,
    );
    expect((await sendPackage(eve, '/api/account/import', await plainZip(damaged))).status).toBe(422);
    expect(await jsonOf(eve.post('/api/threads/search', {}))).toEqual([]);
    // Names that are made up leave nothing behind.
    entries.set('skills.json', JSON.stringify({ off: ['public/code-review', 'public/no-such-skill'] }));
    await jsonOf(sendPackage(eve, '/api/account/import', await packageOf(entries)));
    const { skillStates } = test.service.storage.as(
      (await jsonOf<{ id: string }>(eve.get('/api/v1/auth/me'))).id,
    );
    expect((await skillStates.off()).own).toEqual(['public/code-review']);
  });

  it('[transfer.export.active] leaves out a run that has not ended, and has the thread as it was before', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const before = await contentsOf(client, threadId);
    test.model.onRequest(() => new Promise(() => {}));
    await client.post(`/api/graph/threads/${threadId}/runs`, question('never answered'));
    await expect.poll(async () => (await runsOf(client, threadId))[0]?.status).toBe('running');
    const zip = await zipped(client, `/api/threads/${threadId}/export`);
    const other = await test.user();
    const { threads, runs } = await jsonOf<Imported>(sendPackage(other, '/api/threads/import', zip));
    expect(runs).toBe(3);
    expect(await contentsOf(other, threads[0]?.thread_id ?? '')).toEqual(before);
  });

  it('[transfer.export.active] omits a branch that has not ended, and contains what it would replace', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const before = await contentsOf(client, threadId);
    const history = await jsonOf<StateJson[]>(client.post(`/api/graph/threads/${threadId}/history`, {}));
    const checkpoint_id = history.at(-2)?.checkpoint?.checkpoint_id;
    test.model.onRequest(() => new Promise(() => {}));
    await client.post(`/api/graph/threads/${threadId}/runs`, question('never answered', { checkpoint_id }));
    await expect.poll(() => contentsOf(client, threadId)).toContain('never answered');
    const zip = await zipped(client, `/api/threads/${threadId}/export`);
    const other = await test.user();
    const { threads } = await jsonOf<Imported>(sendPackage(other, '/api/threads/import', zip));
    const copy = threads[0]?.thread_id ?? '';
    expect(await contentsOf(other, copy)).toEqual(before);
    const listed = await jsonOf<EventJson[]>(other.get(`/api/threads/${copy}/messages`));
    expect(listed.map(({ content }) => content.content)).toEqual(before);
  });

  it("[transfer.isolation] of another user's thread is 404, and an account has only its own", async () => {
    const owner = await test.user();
    const threadId = await branchedThread(test, owner);
    const other = await test.user();
    expect((await other.get(`/api/threads/${threadId}/export`)).status).toBe(404);
    expect([...(await unzipped(other.get('/api/account/export'))).keys()]).toEqual([
      'profile.json',
      'usage.jsonl',
      'manifest.json',
    ]);
  });
});

describe('an import', () => {
  it('[transfer.import.ids] beside the thread that it came from has new ids and all the rest', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const [latest] = await runsOf(client, threadId);
    const rated = { rating: 1, comment: 'well said' };
    await client.put(`/api/threads/${threadId}/runs/${latest?.run_id}/feedback`, rated);
    const zip = await zipped(client, `/api/threads/${threadId}/export`);
    const imported = await jsonOf<Imported>(sendPackage(client, '/api/threads/import', zip));
    const [thread] = imported.threads;
    expect(thread?.source_thread_id).toBe(threadId);
    expect(thread?.thread_id).not.toBe(threadId);
    expect(imported).toMatchObject({ runs: 3, feedback: 1, files: 1 });
    const copyId = thread?.thread_id ?? '';
    const original = await seen(client, threadId);
    expect(JSON.stringify(original.listed)).toContain('well said');
    expect(await seen(client, copyId)).toEqual(original);
    const ids = async (id: string) => (await runsOf(client, id)).map(({ run_id }) => run_id);
    const known = new Set(await ids(threadId));
    expect((await ids(copyId)).some((id) => known.has(id))).toBe(false);
    const entries = await unzipped(client.get(`/api/threads/${copyId}/export`));
    expect(entries.get(`files/${copyId}/outputs/note.md`)).toBe('kept');
    expect([...entries.values()].join()).not.toContain(threadId);
  });

  it('[transfer.import.elsewhere] into another service keeps the ids, belongs to the importer, and continues', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const before = await seen(client, threadId);
    const zip = await zipped(client, '/api/account/export');
    const elsewhere = await openTestService();
    const other = await elsewhere.user('somebody-else');
    const imported = await jsonOf<Imported>(sendPackage(other, '/api/account/import', zip));
    expect(imported.threads).toEqual([{ source_thread_id: threadId, thread_id: threadId }]);
    expect(await seen(other, threadId)).toEqual(before);
    elsewhere.model.onRequest(() => answer.text('And on'));
    await streamed(other, threadId, question('still there?'));
    expect((await contentsOf(other, threadId)).slice(-2)).toEqual(['still there?', 'And on']);
    // A branch from a checkpoint of the package.
    const { checkpoint } = await stateOf(client, threadId);
    await streamed(other, threadId, question('once more', { checkpoint }));
    expect(await contentsOf(other, threadId)).toEqual([...before.contents, 'once more', 'And on']);
    const again = await sendPackage(other, '/api/account/import', await zipped(other, '/api/account/export'));
    expect(again.status).toBe(200);
    await elsewhere.close();
  });

  it('[transfer.export.copy] of a copy is whole without the thread that it was copied from', async () => {
    const client = await test.user();
    const threadId = await branchedThread(test, client);
    const copy = await jsonOf<{ thread_id: string }>(client.post(`/api/graph/threads/${threadId}/copy`));
    await streamed(client, copy.thread_id, question('on the copy'));
    const before = await seen(client, copy.thread_id);
    const zip = await zipped(client, `/api/threads/${copy.thread_id}/export`);
    const elsewhere = await openTestService();
    const other = await elsewhere.user();
    const { threads } = await jsonOf<Imported>(sendPackage(other, '/api/threads/import', zip));
    expect(await seen(other, threads[0]?.thread_id ?? '')).toEqual(before);
    await elsewhere.close();
    // Its id is free here, those of the shared checkpoints are not.
    await client.delete(`/api/graph/threads/${copy.thread_id}`);
    const back = await jsonOf<Imported>(sendPackage(client, '/api/threads/import', zip));
    expect(back.threads[0]?.thread_id).not.toBe(copy.thread_id);
    expect(await seen(client, back.threads[0]?.thread_id ?? '')).toEqual(before);
  });

  it('[transfer.items] of an account brings in the items of the store that it does not have', async () => {
    const client = await test.user();
    const other = await test.user();
    const put = async (at: HttpClient, key: string, more: object) => {
      const body = JSON.stringify({ namespace: ['notes', 'tea'], key, ...more });
      const headers = { 'content-type': 'application/json' };
      expect((await at.send('PUT', '/api/graph/store/items', { body, headers })).status).toBe(204);
    };
    const kept = async (at: HttpClient) => {
      const found = at.post('/api/graph/store/items/search', { namespace_prefix: [], limit: 10 });
      const { items } = await jsonOf<{ items: { key: string; value: object }[] }>(found);
      return Object.fromEntries(items.map(({ key, value }) => [key, value]));
    };
    await put(client, 'green', { value: { cups: 2 } });
    await put(client, 'black', { value: { cups: 3 }, ttl: 60 });
    await put(other, 'green', { value: { cups: 9 } });
    const zip = await zipped(client, '/api/account/export');
    const sent = () => jsonOf<Imported>(sendPackage(other, '/api/account/import', zip));
    expect((await sent()).items).toBe(1);
    expect(await kept(other)).toEqual({ green: { cups: 9 }, black: { cups: 3 } });
    expect((await sent()).items).toBe(0);
  });

  it('[transfer.items] of more items than one may keep brings in nothing', async () => {
    const small = await openTestService({ config: { store: { max_items_per_user: 1 } } });
    try {
      const client = await test.user();
      await branchedThread(test, client);
      for (const key of ['green', 'black']) {
        const body = JSON.stringify({ namespace: ['notes'], key, value: {} });
        const headers = { 'content-type': 'application/json' };
        await client.send('PUT', '/api/graph/store/items', { body, headers });
      }
      const zip = await zipped(client, '/api/account/export');
      const other = await small.user();
      const refused = await sendPackage(other, '/api/account/import', zip);
      expect([refused.status, await detailOf(refused)]).toEqual([
        409,
        expect.stringContaining('more than 1 items'),
      ]);
      const prefix = { namespace_prefix: [], limit: 10 };
      expect(await jsonOf(other.post('/api/graph/store/items/search', prefix))).toEqual({ items: [] });
      expect(await jsonOf(other.post('/api/threads/search', {}))).toEqual([]);
    } finally {
      await small.close();
    }
  });
});
