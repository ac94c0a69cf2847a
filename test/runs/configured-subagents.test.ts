// Sub-agents that the configuration describes, besides the built-in one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { ls, messagesOf, taskOf, toolNames } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { skillText, writeSkill } from '../support/skill-files.ts';

let test: TestService | undefined;
let provider: ModelServer;
afterEach(async () => {
  await test?.close();
  test = undefined;
  await provider.close();
});

const give = (id: string, subagent_type?: string) => ({
  id,
  name: 'task',
  args: { description: `Task ${id}`, prompt: `do ${id}`, ...(subagent_type ? { subagent_type } : {}) },
});

const TYPES = {
  reader: {
    description: 'reads files and says what is in them',
    prompt: 'You only read, and quote.',
    model: 'small',
    tools: ['ls', 'read_file', 'present_files'],
    max_steps: 2,
  },
};

async function open(types: object = TYPES, skills: object = {}): Promise<TestService> {
  provider = await startModelServer();
  const models = ['large', 'small'].map((name) => {
    return { name, provider: 'openai-compatible', model: `${name}-1`, base_url: provider.url };
  });
  test = await openTestService({ config: { models, agent: { subagents: { types } }, ...skills } });
  return test;
}

it('[subagents.configured] a configured one has its own instructions, model, tools and limits; the others are unchanged', async () => {
  const client = await (await open()).user();
  const threadId = await newThread(client);
  const lead = [
    answer.toolCalls([give('c1', 'reader'), give('c2'), give('c3', 'writer')]),
    answer.text('All done'),
  ];
  provider.onRequest((request) => {
    const task = taskOf(request);
    if (task === '') return lead.shift() ?? answer.serverError(400);
    return task === 'do c1' ? answer.toolCalls([ls('again')], { text: 'Looking' }) : answer.text('did it');
  });
  await streamed(client, threadId, question('delegate'));
  const requestOf = (task: string) => provider.requests.filter((it) => taskOf(it) === task);
  const [asked] = requestOf('');
  const spec = JSON.stringify(asked?.body.tools);
  expect(spec).toContain('- reader: reads files and says what is in them');
  expect(spec).toContain('"enum":["general-purpose","reader"]');
  const [reader, second, ...more] = requestOf('do c1');
  expect(reader?.body.model).toBe('small-1');
  expect(reader && toolNames(reader).toSorted()).toEqual(['ls', 'read_file']);
  expect(reader && messagesOf(reader)[0]?.content).toMatch(/You only read, and quote\.$/);
  // One step of the model and one of its tools.
  expect([second, ...more]).toEqual([undefined]);
  const [general] = requestOf('do c2');
  expect(general?.body.model).toBe('large-1');
  expect(JSON.stringify(general?.body)).not.toContain('You only read');
  const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  const results = values.messages.filter(({ type }) => type === 'tool').map(({ content }) => content);
  expect(results.slice(0, 2)).toEqual(['Looking', 'did it']);
  expect(results[2]).toContain('subagent_type');
  const { by_caller } = await jsonOf<{ by_caller: { subagent: number } }>(
    client.get(`/api/threads/${threadId}/token-usage`),
  );
  expect(by_caller.subagent).toBe(30);
});

it('[subagents.configured.skills] one with a list of skills is shown those alone, and restricted by no other skill', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-skills-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeSkill(folder, 'green');
  await writeSkill(folder, 'blue', {
    'SKILL.md': skillText('blue', { head: 'allowed-tools: [read_file]\n' }),
  });
  const kind = { description: 'd', prompt: 'p' };
  const types = {
    painter: { ...kind, skills: ['green', 'gone'] },
    plain: { ...kind, skills: [] },
    any: kind,
  };
  const client = await (await open(types, { skills: { public_folder: folder } })).user();
  const lead = [
    answer.toolCalls([give('c1', 'painter'), give('c2', 'plain'), give('c3', 'any')]),
    answer.text('All done'),
  ];
  const readsBlue = { path: '/mnt/skills/public/blue/SKILL.md', description: 'read' };
  const steps = () => [
    answer.toolCalls([{ name: 'read_file', args: readsBlue }]),
    answer.toolCalls([ls('l')]),
    answer.text('did it'),
  ];
  const scripts: Record<string, Answer[]> = {
    '': lead,
    'do c1': steps(),
    'do c2': steps(),
    'do c3': steps(),
  };
  provider.onRequest((request) => scripts[taskOf(request)]?.shift() ?? answer.serverError(400));
  await streamed(client, await newThread(client), question('delegate'));
  const told = (task: string) => {
    const requests = provider.requests.filter((it) => taskOf(it) === task).map(messagesOf);
    const system = requests[0]?.[0]?.content ?? '';
    const listed = requests.at(-1)?.findLast(({ role }) => role === 'tool')?.content ?? '';
    return {
      green: system.includes('- green'),
      blue: system.includes('- blue'),
      isHeld: /^Error/.test(listed),
    };
  };
  expect(told('do c1')).toEqual({ green: true, blue: false, isHeld: false });
  expect(told('do c2')).toEqual({ green: false, blue: false, isHeld: false });
  expect(told('do c3')).toEqual({ green: true, blue: true, isHeld: true });
});

it('[subagents.configured.bad] an unknown model, a wrong name and the name of the built-in one stop the start', async () => {
  const base = { description: 'd', prompt: 'p' };
  for (const types of [
    { reader: { ...base, model: 'nobody' } },
    { 'Bad name': base },
    { 'general-purpose': base },
    { reader: { ...base, max_steps: 0 } },
    { reader: { description: 'd' } },
  ]) {
    await expect(open(types), JSON.stringify(types)).rejects.toThrow();
    await provider.close();
  }
});
