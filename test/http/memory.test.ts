// What an agent remembers, as a person reads and changes it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { timestamp } from '../../src/http/presenters/wire-fields.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, TEST_PASSWORD, type TestService } from '../support/service.ts';

interface FactJson {
  readonly id: string;
  readonly content: string;
  readonly category: string;
  readonly confidence: number;
  readonly created_at: string;
  readonly source: { readonly kind: string; readonly thread_id: string | null };
}
interface MemoryJson {
  readonly revision: number;
  readonly can_undo: boolean;
  readonly last_updated: string | null;
  readonly user: Record<string, { readonly summary: string }>;
  readonly history: Record<string, { readonly summary: string }>;
  readonly facts: readonly FactJson[];
}

const now = Date.UTC(2026, 0, 1);
let test: TestService;
beforeAll(async () => {
  test = await openTestService({ config: { memory: { max_facts: 4 } }, overrides: { now: () => now } });
});
afterAll(() => test.close());

const memoryOf = (client: HttpClient, query = '') => jsonOf<MemoryJson>(client.get(`/api/memory${query}`));
const add = (client: HttpClient, content: string, fields: object = {}) =>
  jsonOf<MemoryJson>(client.post('/api/memory/facts', { content, ...fields }));
const contents = ({ facts }: MemoryJson) => facts.map(({ content }) => content);
const undo = (client: HttpClient, revision: number) => client.post('/api/memory/undo', { revision });

it('[memory.document] is empty before anything is remembered, and summarises its facts', async () => {
  const ann = await test.user();
  const nothing = { summary: '', updated_at: null };
  expect(await memoryOf(ann)).toEqual({
    version: '1.0',
    agent: 'lead_agent',
    revision: 0,
    last_updated: null,
    can_undo: false,
    user: { work_context: nothing, personal_context: nothing, top_of_mind: nothing },
    history: { recent_months: nothing, earlier_context: nothing, long_term_background: nothing },
    facts: [],
  });
  const old = { content: 'Is a baker', category: 'knowledge', created_at: '2025-09-01T00:00:00Z' };
  await jsonOf(ann.post('/api/memory/import', { facts: [old] }));
  await add(ann, 'Drinks  green\ntea', { category: 'preference', confidence: 0.5 });
  await add(ann, 'Wants to retire', { category: 'goal' });
  const memory = await memoryOf(ann);
  expect(contents(memory)).toEqual(['Is a baker', 'Drinks green tea', 'Wants to retire']);
  expect(memory.facts[1]).toMatchObject({
    category: 'preference',
    confidence: 0.5,
    created_at: timestamp(now),
    source: { kind: 'manual', thread_id: null, message_id: null },
  });
  expect(Object.values(memory.user).map(({ summary }) => summary)).toEqual([
    'Is a baker',
    'Drinks green tea',
    'Wants to retire',
  ]);
  expect(Object.values(memory.history).map(({ summary }) => summary)).toEqual([
    'Drinks green tea; Wants to retire',
    'Is a baker',
    '',
  ]);
  expect(memory.last_updated).toBe(timestamp(now));
});

it('[memory.facts] [memory.twice] [memory.limit] are added, changed and deleted one by one', async () => {
  const ann = await test.user();
  const [tea] = (await add(ann, 'Drinks tea')).facts;
  const [, bees] = (await add(ann, 'Keeps bees')).facts;
  const changed = await jsonOf<MemoryJson>(
    ann.patch(`/api/memory/facts/${tea?.id}`, { content: 'Drinks coffee', confidence: 0.9 }),
  );
  expect(changed.facts[0]).toEqual({ ...tea, content: 'Drinks coffee', confidence: 0.9 });
  for (const [method, path] of [
    ['POST', '/api/memory/facts'],
    ['PATCH', `/api/memory/facts/${tea?.id}`],
  ] as const) {
    const twin = await ann.send(method, path, {
      body: JSON.stringify({ content: ' keeps  BEES. ' }),
      headers: { 'content-type': 'application/json' },
    });
    expect([method, twin.status]).toEqual([method, 409]);
  }
  await add(ann, 'third');
  await add(ann, 'fourth');
  const fifth = await ann.post('/api/memory/facts', { content: 'fifth' });
  expect([fifth.status, await fifth.text()]).toEqual([409, expect.stringContaining('Delete one first')]);
  const left = await jsonOf<MemoryJson>(ann.delete(`/api/memory/facts/${bees?.id}`));
  expect(contents(left)).toEqual(['Drinks coffee', 'third', 'fourth']);
  const gone = await ann.delete(`/api/memory/facts/${bees?.id}`);
  expect([gone.status, await jsonOf(gone.clone())]).toEqual([
    404,
    { detail: `Memory fact '${bees?.id}' not found.` },
  ]);
});

it('[memory.bad] refuses invalid facts', async () => {
  const ann = await test.user();
  const bad: readonly object[] = [
    {},
    { content: '' },
    { content: ' \n\u200b ' },
    { content: 'x'.repeat(501) },
    { content: 'a', category: 'Two Words' },
    { content: 'a', confidence: 1.5 },
  ];
  for (const body of bad)
    expect((await ann.post('/api/memory/facts', body)).status, JSON.stringify(body)).toBe(422);
  const [fact] = (await add(ann, 'x'.repeat(500))).facts;
  expect((await ann.patch(`/api/memory/facts/${fact?.id}`, {})).status).toBe(422);
  expect((await ann.post('/api/memory/import', { facts: [{}] })).status).toBe(422);
  expect((await ann.get('/api/memory?agent=a%2Fb')).status).toBe(422);
  expect((await memoryOf(ann)).revision).toBe(1);
});

it('[memory.own] belongs to one person and one agent', async () => {
  const [ann, bob] = [await test.user(), await test.user()];
  const [fact] = (await add(ann, 'Drinks tea')).facts;
  await jsonOf(ann.post('/api/memory/facts?agent=cook', { content: 'Salts late' }));
  expect(contents(await memoryOf(ann, '?agent=cook'))).toEqual(['Salts late']);
  expect((await memoryOf(bob)).facts).toEqual([]);
  for (const answer of [
    await bob.patch(`/api/memory/facts/${fact?.id}`, { content: 'Drinks mud' }),
    await bob.delete(`/api/memory/facts/${fact?.id}`),
    await ann.delete(`/api/memory/facts/${fact?.id}?agent=cook`),
  ])
    expect(answer.status).toBe(404);
  expect(contents(await memoryOf(ann))).toEqual(['Drinks tea']);
});

it('[memory.undo] [memory.clear] undoes the last change, and nothing that came after it', async () => {
  const ann = await test.user();
  expect((await undo(ann, 0)).status).toBe(409);
  const { facts, revision } = await add(ann, 'Drinks tea');
  const without = await jsonOf<MemoryJson>(ann.delete(`/api/memory/facts/${facts[0]?.id}`));
  expect((await undo(ann, revision)).status).toBe(409);
  const back = await jsonOf<MemoryJson>(undo(ann, without.revision));
  expect(back.facts).toEqual(facts);
  expect((await jsonOf<MemoryJson>(undo(ann, back.revision))).facts).toEqual([]);
  await add(ann, 'Drinks coffee');
  const cleared = await jsonOf<MemoryJson>(ann.delete('/api/memory'));
  expect([cleared.facts, cleared.can_undo]).toEqual([[], false]);
  expect((await undo(ann, cleared.revision)).status).toBe(409);
});

it('[memory.transfer] gives the same facts after an export and an import', async () => {
  const [ann, bob] = [await test.user(), await test.user()];
  await add(ann, 'Drinks tea', { category: 'preference', confidence: 0.5 });
  const source = { kind: 'thread', thread_id: 't1', message_id: 'm1' };
  const given = [
    { id: 'fact_1', content: 'Keeps bees', created_at: timestamp(Date.UTC(2025, 0, 1)), source },
    { id: 'fact_1', content: 'Sings' },
    { content: 'keeps bees.' },
    { content: 'Paints', created_at: '2999-01-01T00:00:00Z', source: { kind: 'thread' } },
  ];
  const brought = await jsonOf<MemoryJson>(ann.post('/api/memory/import', { version: '1.0', facts: given }));
  expect(brought.facts).toMatchObject([
    { ...given[0], category: 'context', confidence: 1 },
    { content: 'Sings', source: { kind: 'import' } },
    { content: 'Paints', created_at: timestamp(now), source: { kind: 'import' } },
  ]);
  expect(new Set(brought.facts.map(({ id }) => id)).size).toBe(3);
  const file = await ann.get('/api/memory/export');
  expect(file.headers.get('content-disposition')).toContain('memory-lead_agent.json');
  await add(bob, 'is replaced');
  const body = await jsonOf<MemoryJson>(file);
  const copied = await jsonOf<MemoryJson>(bob.post('/api/memory/import', body));
  expect(copied.facts).toEqual(body.facts);
  expect(copied.can_undo).toBe(true);
  const many = Array.from({ length: 5 }, (_, n) => ({ content: `fact ${n}` }));
  expect((await bob.post('/api/memory/import', { facts: many })).status).toBe(409);
});

it('[memory.switch] can be switched off and on by its person', async () => {
  const [ann, bob] = [await test.user(), await test.user()];
  await add(ann, 'Drinks tea');
  const config = (client: HttpClient) => jsonOf(client.get('/api/memory/config'));
  const before = await config(ann);
  expect(before).toMatchObject({
    enabled: true,
    user_enabled: true,
    extraction_enabled: false,
    max_facts: 4,
  });
  const off = await jsonOf(ann.patch('/api/memory/config', { user_enabled: false }));
  expect(off).toEqual({ ...before, user_enabled: false });
  expect(await config(ann)).toEqual(off);
  expect(await config(bob)).toEqual(before);
  expect(contents(await memoryOf(ann))).toEqual(['Drinks tea']);
  expect(await jsonOf(ann.patch('/api/memory/config', { user_enabled: true }))).toEqual(before);
});

it('[memory.deleted] is gone when the account is deleted', async () => {
  const ann = await test.user();
  await add(ann, 'Drinks tea');
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  const { memories } = test.service.storage.as(id);
  expect(await memories.list()).toHaveLength(1);
  const answer = await ann.send('DELETE', '/api/v1/auth/me', {
    body: JSON.stringify({ password: TEST_PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => memories.list()).toEqual([]);
});
