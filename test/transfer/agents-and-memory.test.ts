// Agents of a person and what they remember, taken along with the account.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signInAdministrator } from '../support/administrator.ts';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { packageOf, unzipped } from '../support/zip.ts';
import { branchedThread, sendPackage } from './conversation.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService({ config: { memory: { max_facts: 3 } } });
  const admin = await signInAdministrator(test);
  await admin.post('/api/agents', { name: 'house', soul: 'shared' });
  await admin.put('/api/agents/house/sharing', { shared: true });
});
afterAll(() => test.close());

const exported = (client: HttpClient) => unzipped(client.get('/api/account/export'));
const sendEntries = async (client: HttpClient, entries: ReadonlyMap<string, string>) =>
  sendPackage(client, '/api/account/import', await packageOf(entries));
const linesOf = (text = '') =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const agentsOf = async (client: HttpClient) =>
  (await jsonOf<{ agents: { name: string; soul: string }[] }>(client.get('/api/agents'))).agents.map(
    ({ name, soul }) => `${name}: ${soul}`,
  );

interface MemoryJson {
  readonly revision: number;
  readonly facts: readonly { readonly content: string; readonly source: object }[];
}
const memoryOf = (client: HttpClient, agent = 'lead_agent') =>
  jsonOf<MemoryJson>(client.get(`/api/memory?agent=${agent}`));
const factsOf = async (client: HttpClient, agent?: string) =>
  (await memoryOf(client, agent)).facts.map(({ content }) => content);
const remember = async (client: HttpClient, content: string, agent = 'lead_agent') =>
  expect((await client.post(`/api/memory/facts?agent=${agent}`, { content })).status).toBe(200);

it('[transfer.agents] come with their versions; the account keeps an agent of the same name', async () => {
  const ann = await test.user();
  await ann.post('/api/agents', { name: 'tea', soul: 'first' });
  await ann.put('/api/agents/tea', { soul: 'second', tool_groups: ['web'] });
  await ann.post('/api/agents', { name: 'cake', soul: 'of Ann' });
  await ann.post('/api/agents', { name: 'gone', soul: 'deleted' });
  await ann.delete('/api/agents/gone');
  const entries = await exported(ann);
  expect(linesOf(entries.get('agents.jsonl'))).toMatchObject([
    { name: 'cake', versions: [{ soul: 'of Ann' }] },
    { name: 'tea', versions: [{ soul: 'first' }, { soul: 'second', tool_groups: ['web'] }] },
  ]);
  const bob = await test.user();
  await bob.post('/api/agents', { name: 'cake', soul: 'of Bob' });
  const taken = { name: 'cake', reason: expect.stringContaining('already') };
  expect(await jsonOf(sendEntries(bob, entries))).toMatchObject({
    agents: ['tea'],
    agents_left_out: [taken],
  });
  const both = ['cake: of Bob', 'house: shared', 'tea: second'];
  expect(await agentsOf(bob)).toEqual(both);
  const first = await jsonOf(bob.get('/api/agents/tea/versions/1'));
  expect(first).toEqual(await jsonOf(ann.get('/api/agents/tea/versions/1')));
  expect(await jsonOf(sendEntries(bob, entries))).toMatchObject({
    agents: [],
    agents_left_out: [taken, { name: 'tea' }],
  });
  expect(await agentsOf(bob)).toEqual(both);
});

it('[transfer.agents] of a model that is not here come without it', async () => {
  const ann = await test.user();
  await ann.post('/api/agents', { name: 'tea', soul: 'calm' });
  const entries = await exported(ann);
  const [line] = linesOf(entries.get('agents.jsonl'));
  line.versions[0].model = 'far-away';
  entries.set('agents.jsonl', JSON.stringify(line));
  const bob = await test.user();
  expect(await jsonOf(sendEntries(bob, entries))).toMatchObject({
    agents: ['tea'],
    agents_left_out: [{ name: 'tea', reason: expect.stringContaining('far-away') }],
  });
  expect(await jsonOf(bob.get('/api/agents/tea'))).toMatchObject({ model: null, soul: 'calm' });
});

it('[transfer.memory] adds facts that say something new, within the limit, and the switch', async () => {
  const ann = await test.user();
  for (const fact of ['Drinks tea', 'Lives in Ulm', 'Has a dog']) await remember(ann, fact);
  await remember(ann, 'Bakes cakes', 'baker');
  await ann.patch('/api/memory/config', { user_enabled: false });
  const entries = await exported(ann);
  const bob = await test.user();
  for (const fact of ['drinks  TEA.', 'Plays chess']) await remember(bob, fact);
  const noRoom = { name: 'lead_agent', reason: expect.stringContaining('1 of its facts') };
  const expected = { memory_facts: 2, memory_left_out: [noRoom] };
  expect(await jsonOf(sendEntries(bob, entries))).toMatchObject(expected);
  const after = await memoryOf(bob);
  expect(after.facts.map(({ content }) => content)).toEqual(['drinks TEA.', 'Plays chess', 'Lives in Ulm']);
  expect(await factsOf(bob, 'baker')).toEqual(['Bakes cakes']);
  expect(await jsonOf(bob.get('/api/memory/config'))).toMatchObject({ user_enabled: false });
  // Once more there is nothing new.
  expect(await jsonOf(sendEntries(bob, entries))).toMatchObject({ ...expected, memory_facts: 0 });
  expect(await memoryOf(bob)).toEqual(after);
  await bob.post('/api/memory/undo', { revision: after.revision });
  expect(await factsOf(bob)).toEqual(['drinks TEA.', 'Plays chess']);
});

it('[transfer.memory] facts name the threads that came along as they are called here', async () => {
  const ann = await test.user();
  const threadId = await branchedThread(test, ann);
  const source = (id: string) => ({ kind: 'thread', thread_id: id, message_id: 'message-1' });
  const facts = [
    { content: 'Drinks tea', source: source(threadId) },
    { content: 'Has a dog', source: source('a-thread-that-is-gone') },
  ];
  expect((await ann.post('/api/memory/import', { facts })).status).toBe(200);
  const bob = await test.user();
  const { threads } = await jsonOf<{ threads: { thread_id: string }[] }>(
    sendEntries(bob, await exported(ann)),
  );
  const here = threads[0]?.thread_id ?? '';
  expect(here).not.toBe(threadId);
  expect((await memoryOf(bob)).facts.map((fact) => fact.source)).toEqual([
    source(here),
    { kind: 'import', thread_id: null, message_id: null },
  ]);
});

it('[transfer.lines] what is damaged refuses the package, and nothing of it is left', async () => {
  const ann = await test.user();
  await branchedThread(test, ann);
  await ann.post('/api/agents', { name: 'tea', soul: 'calm' });
  await remember(ann, 'Drinks tea');
  const entries = await exported(ann);
  const agents = entries.get('agents.jsonl') ?? '';
  const memory = entries.get('memory.jsonl') ?? '';
  const bob = await test.user();
  for (const [name, text, sentence] of [
    ['agents.jsonl', agents.replace('calm', 'x'.repeat(10_001)), 'line 1: versions.0.soul'],
    ['agents.jsonl', agents.replace('"tea"', '"lead_agent"'), 'reserved'],
    ['agents.jsonl', agents.repeat(51), 'more than 50 lines'],
    ['memory.jsonl', memory.replace('Drinks tea', ' '), 'line 1: facts.0.content'],
    ['memory.jsonl', memory.replace('"confidence":1', '"confidence":7'), 'confidence'],
    ['memory.jsonl', memory.slice(0, -3), 'memory.jsonl, line 1'],
  ] as const) {
    const refused = await sendEntries(bob, new Map([...entries, [name, text]]));
    const answer = [refused.status, JSON.stringify(await detailOf(refused))];
    expect(answer).toEqual([422, expect.stringContaining(sentence)]);
  }
  expect(await agentsOf(bob)).toEqual(['house: shared']);
  expect(await factsOf(bob)).toEqual([]);
  expect(await jsonOf(bob.post('/api/threads/search', {}))).toEqual([]);
});

it('[schedules.transfer] schedules come along paused, on the threads that came with them, and once', async () => {
  const ann = await test.user();
  const threadId = await branchedThread(test, ann);
  const body = { name: 'Tea', prompt: 'How is the tea?', cron: '0 9 * * *', timezone: 'Europe/Berlin' };
  await ann.post('/api/schedules', { ...body, thread_id: threadId });
  await ann.post('/api/schedules', { ...body, name: 'Once', cron: null, run_at: '2033-01-01T00:00:00Z' });
  const entries = await exported(ann);
  const [tea, once] = linesOf(entries.get('schedules.jsonl'));
  entries.set(
    'schedules.jsonl',
    [tea, { ...once, model: 'far-away' }].map((it) => JSON.stringify(it)).join('\n'),
  );
  const bob = await test.user();
  const imported = await jsonOf<{ threads: { source_thread_id: string; thread_id: string }[] }>(
    sendEntries(bob, entries),
  );
  expect(imported).toMatchObject({
    schedules: ['Tea', 'Once'],
    schedules_left_out: [{ name: 'Once', reason: expect.stringContaining('far-away') }],
  });
  const thread_id = imported.threads.find((it) => it.source_thread_id === threadId)?.thread_id;
  const paused = { status: 'paused', paused_because: 'imported', next_run_at: null, last_run: null };
  const schedules = async () => (await jsonOf<{ schedules: object[] }>(bob.get('/api/schedules'))).schedules;
  const expected = [
    { ...body, thread_id, ...paused },
    { name: 'Once', run_at: '2033-01-01T00:00:00.000+00:00', thread_id: null, model: null, ...paused },
  ];
  expect(await schedules()).toMatchObject(expected);
  entries.set('schedules.jsonl', JSON.stringify({ ...once, cron: '61 * * * *' }));
  expect((await sendEntries(bob, entries)).status).toBe(422);
  const others = await exported(bob);
  expect(await jsonOf(sendEntries(bob, others))).toMatchObject({
    schedules: ['Tea'],
    schedules_left_out: [{ name: 'Once', reason: 'You already have this schedule.' }],
  });
});
