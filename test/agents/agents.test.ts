// Agents that people define: made, changed, shared, and taken elsewhere as a file.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signInAdministrator } from '../support/administrator.ts';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';

interface AgentJson {
  readonly name: string;
  readonly soul: string;
  readonly version: number;
  readonly shared: boolean;
  readonly own: boolean;
}

let service: TestService;
let admin: HttpClient;
let clock = Date.UTC(2026, 10, 21, 9);
beforeAll(async () => {
  service = await openTestService({ overrides: { now: () => clock } });
  admin = await signInAdministrator(service);
});
afterAll(() => service.close());

const TEA = {
  name: 'tea-master',
  description: ' Knows teas ',
  model: 'scripted',
  tool_groups: ['files', 'mcp:shop', 'files'],
  skills: [],
  soul: 'You are calm.',
};
const names = async (client: HttpClient) =>
  (await jsonOf<{ agents: AgentJson[] }>(client.get('/api/agents'))).agents.map(({ name }) => name);
const refusal = async (answer: Promise<Response>) => [(await answer).status, await detailOf(await answer)];

it('[agents.crud] [agents.versions] are made, read, changed as a whole, and deleted', async () => {
  const ann = await service.user();
  expect(await jsonOf(ann.get('/api/agents'))).toMatchObject({
    agents: [],
    tool_groups: expect.arrayContaining([{ name: 'web', description: expect.any(String) }]),
  });
  const made = await ann.post('/api/agents', TEA);
  expect(made.status).toBe(201);
  const tea = {
    ...TEA,
    description: 'Knows teas',
    tool_groups: ['files', 'mcp:shop'],
    version: 1,
    shared: false,
    own: true,
    created_at: '2026-11-21T09:00:00.000+00:00',
    updated_at: '2026-11-21T09:00:00.000+00:00',
  };
  expect(await made.json()).toEqual(tea);
  expect(await jsonOf(ann.get('/api/agents/tea-master'))).toEqual(tea);

  clock += 60_000;
  expect(await jsonOf(ann.put('/api/agents/tea-master', TEA))).toEqual(tea);
  const changed = await jsonOf(ann.put('/api/agents/tea-master', { soul: 'You are wild.' }));
  const plain = { description: '', model: null, tool_groups: null, skills: null, soul: 'You are wild.' };
  expect(changed).toEqual({ ...tea, ...plain, version: 2, updated_at: '2026-11-21T09:01:00.000+00:00' });
  const { versions } = await jsonOf<{ versions: object[] }>(ann.get('/api/agents/tea-master/versions'));
  expect(versions).toMatchObject([
    { version: 2, created_at: '2026-11-21T09:01:00.000+00:00', ...plain },
    { version: 1, soul: 'You are calm.', tool_groups: ['files', 'mcp:shop'] },
  ]);
  expect(await jsonOf(ann.get('/api/agents/tea-master/versions/1'))).toEqual(versions[1]);
  for (const missing of ['3', '0', 'x', '1e400'])
    expect((await ann.get(`/api/agents/tea-master/versions/${missing}`)).status).toBe(404);

  expect((await ann.delete('/api/agents/tea-master')).status).toBe(204);
  expect((await ann.delete('/api/agents/tea-master')).status).toBe(404);
  expect(await names(ann)).toEqual([]);
  expect(await jsonOf(ann.post('/api/agents', TEA))).toMatchObject({ version: 1 });
});

it('[agents.names] [agents.limits] bad names, texts, models and groups are refused with what to do', async () => {
  const ann = await service.user();
  await ann.post('/api/agents', TEA);
  expect(await refusal(ann.post('/api/agents', TEA))).toEqual([
    409,
    'You have an agent of this name. Change that one, or choose another name.',
  ]);
  for (const name of [
    '',
    'Tea',
    'tea--master',
    '-tea',
    'tea_master',
    'tea/..',
    'x'.repeat(65),
    'lead_agent',
    'lead-agent',
  ]) {
    expect([name, (await ann.post('/api/agents', { name })).status]).toEqual([name, 422]);
    const path = `/api/agents/${encodeURIComponent(name)}`;
    if (name !== '') expect([name, (await ann.put(path, {})).status]).toEqual([name, 404]);
  }
  expect((await ann.post('/api/agents', { name: 'x'.repeat(64) })).status).toBe(201);
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ model: 'gpt-99' }, /no such model. Choose from .*scripted/],
    [{ tool_groups: ['everything'] }, /Choose from files, commands, web, skills, subagents, mcp/],
    [{ tool_groups: Array.from({ length: 101 }, (_, index) => `mcp:s${index}`) }, /./],
    [{ skills: ['../x'] }, /./],
    [{ soul: 'x'.repeat(10_001) }, /./],
    [{ soul: 'half \ud83c' }, /./],
    [{ description: 'x'.repeat(1_025) }, /./],
    [{ name: 'other' }, /keeps its name/],
  ];
  for (const [fields, sentence] of wrong) {
    const answer = await ann.put('/api/agents/tea-master', fields);
    expect([fields, answer.status]).toEqual([fields, 422]);
    expect(await answer.text()).toMatch(sentence);
  }
  expect(await jsonOf(ann.get('/api/agents/tea-master'))).toMatchObject({ version: 1 });
});

it('[agents.limits] a person has fifty agents at most, and makes one more when one is gone', async () => {
  const ann = await service.user();
  for (let index = 1; index <= 50; index += 1) await ann.post('/api/agents', { name: `a-${index}` });
  expect(await refusal(ann.post('/api/agents', { name: 'more' }))).toEqual([
    409,
    'You have 50 agents. Delete one first.',
  ]);
  await ann.delete('/api/agents/a-7');
  expect((await ann.post('/api/agents', { name: 'more' })).status).toBe(201);
});

it('[agents.share] an administrator shares one with everybody, to read and not to change', async () => {
  const ann = await service.user();
  const name = 'house-agent';
  await admin.post('/api/agents', { ...TEA, name });
  expect(await refusal(ann.get(`/api/agents/${name}`))).toEqual([404, 'Agent not found']);
  expect(await jsonOf(admin.put(`/api/agents/${name}/sharing`, { shared: true }))).toMatchObject({
    shared: true,
    own: true,
  });
  expect(await jsonOf(ann.get(`/api/agents/${name}`))).toMatchObject({
    shared: true,
    own: false,
    version: 1,
  });
  expect((await ann.get(`/api/agents/${name}/versions`)).status).toBe(200);
  for (const attempt of [
    ann.put(`/api/agents/${name}`, { soul: 'mine' }),
    ann.delete(`/api/agents/${name}`),
    ann.put(`/api/agents/${name}/sharing`, { shared: false }),
  ])
    expect((await attempt).status).toBe(403);
  // Somebody else's change is seen at once; an own agent of the name comes first.
  await admin.put(`/api/agents/${name}`, { soul: 'new soul' });
  expect(await jsonOf(ann.get(`/api/agents/${name}`))).toMatchObject({ soul: 'new soul', version: 2 });
  await ann.post('/api/agents', { name, soul: 'of ann' });
  expect(await jsonOf(ann.get(`/api/agents/${name}`))).toMatchObject({
    soul: 'of ann',
    own: true,
    shared: false,
  });
  expect(await names(ann)).toEqual([name]);
  expect(await refusal(ann.put(`/api/agents/${name}/sharing`, { shared: true }))).toEqual([
    403,
    'Only administrators share agents.',
  ]);
  await ann.delete(`/api/agents/${name}`);
  await admin.put(`/api/agents/${name}/sharing`, { shared: false });
  expect((await ann.get(`/api/agents/${name}`)).status).toBe(404);

  const { data } = await jsonOf<{ data: { details: object }[] }>(admin.get('/api/audit?act=agents_change'));
  expect(data.map(({ details }) => details)).toEqual([
    { change: 'unshare', name, version: 2 },
    { change: 'update', name, version: 2 },
    { change: 'share', name, version: 1 },
  ]);
});

it('[agents.file] leaves as one file and comes back, also under another name and where its model is unknown', async () => {
  const ann = await service.user();
  await ann.post('/api/agents', TEA);
  const exported = await ann.get('/api/agents/tea-master/export');
  expect(exported.headers.get('content-disposition')).toContain('tea-master.agent.json');
  const file = await jsonOf<{ agent: object }>(exported);
  expect(file).toEqual({
    format: 'agent-service-agent',
    format_version: 1,
    agent: { ...TEA, description: 'Knows teas', tool_groups: ['files', 'mcp:shop'] },
  });
  const bob = await service.user();
  expect(await jsonOf(bob.post('/api/agents/import', file))).toMatchObject({
    agent: { name: 'tea-master', soul: TEA.soul, tool_groups: ['files', 'mcp:shop'], own: true },
    left_out: [],
  });
  expect((await bob.post('/api/agents/import', file)).status).toBe(409);
  const foreign = { ...file, agent: { ...file.agent, model: 'of-elsewhere' } };
  expect(await jsonOf(bob.post('/api/agents/import?name=second', foreign))).toMatchObject({
    agent: { name: 'second', model: null, soul: TEA.soul },
    left_out: ['model'],
  });
  for (const bad of [{ ...file, format: 'other' }, { ...file, format_version: 2 }, { agent: file.agent }])
    expect((await bob.post('/api/agents/import?name=third', bad)).status).toBe(422);
  expect(await names(bob)).toEqual(['second', 'tea-master']);
});
