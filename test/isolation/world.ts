// Two people with rows of every kind, and ids of the same form that are nobody's.
import { v7 } from 'uuid';
import { expect, vi } from 'vitest';
import { makeKey, withKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, question, type TestService } from '../support/service.ts';
import type { Ids } from './attacks.ts';
import { skillText } from './skill-cases.ts';

/** In everything that Bob writes; nobody else must ever see it. */
export const SECRET = 'secretword';

export interface World {
  readonly ann: HttpClient;
  /** Ann with nothing but an API key. */
  readonly annsProgram: HttpClient;
  readonly annsKey: string;
  readonly anns: Ids;
  readonly bobs: Ids;
}

export async function createWorld(service: TestService): Promise<World> {
  const ann = await service.user('ann');
  const bob = await service.user('bob');
  const { key } = await makeKey(ann);
  return {
    ann,
    annsProgram: withKey(service.service.app, key),
    annsKey: key,
    anns: await rowsOf(ann, 'hello'),
    bobs: await rowsOf(bob, SECRET),
  };
}

/** A finished run on a thread with a title, metadata and a state; an API key; an item in the store. */
async function rowsOf(client: HttpClient, word: string): Promise<Ids> {
  const thread = await newThread(client);
  await jsonOf(client.post(`/api/threads/${thread}/runs/wait`, question(`${word} question`)));
  const task = await taskOn(client, thread, word);
  const metadata = { word, owner_id: 'nobody' };
  await jsonOf(client.patch(`/api/threads/${thread}`, { metadata }));
  await jsonOf(client.post(`/api/threads/${thread}/state`, { values: { title: `${word} title` } }));
  const state = await jsonOf<{ checkpoint_id: string; values: { messages: { id: string }[] } }>(
    client.get(`/api/threads/${thread}/state`),
  );
  await client.put('/api/graph/store/items', { namespace: ['notes', word], key: 'k', value: { word } });
  const { runs } = await jsonOf<{ runs: { run_id: string }[] }>(client.get(`/api/threads/${thread}/runs`));
  const run = present(runs[0]?.run_id);
  const rating = { rating: 1, comment: word };
  const feedback = await jsonOf<{ feedback_id: string }>(
    client.put(`/api/threads/${thread}/runs/${run}/feedback`, rating),
  );
  const skill = skillName();
  await jsonOf(client.post('/api/skills', { content: skillText(skill, word) }));
  const agent = agentName();
  await jsonOf(client.post('/api/agents', { name: agent, soul: word }));
  return {
    thread,
    run,
    task,
    skill,
    agent,
    fact: await factOf(client, word),
    schedule: await scheduleOf(client, word),
    feedback: feedback.feedback_id,
    checkpoint: state.checkpoint_id,
    message: present(state.values.messages[0]?.id),
    apiKey: (await makeKey(client, { name: `${word} key` })).id,
    session: await sessionOf(client),
    user: (await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'))).id,
  };
}

/** A task in the background that has been told of. */
async function taskOn(client: HttpClient, thread: string, word: string): Promise<string> {
  const call = { description: `${word} task`, prompt: `count to 2`, background: true };
  await jsonOf(client.post(`/api/threads/${thread}/runs/wait`, question(`use task ${JSON.stringify(call)}`)));
  const tasks = async () =>
    (await jsonOf<{ tasks: TaskJson[] }>(client.get(`/api/threads/${thread}/tasks`))).tasks;
  const status = async () => (await jsonOf<{ status: string }>(client.get(`/api/threads/${thread}`))).status;
  const ended = async () => {
    expect((await tasks())[0]?.status).toBe('reported');
    expect(await status()).toBe('idle');
  };
  await vi.waitFor(ended, { timeout: 20_000, interval: 50 });
  return present((await tasks())[0]?.task_id);
}

interface TaskJson {
  readonly task_id: string;
  readonly status: string;
}

async function factOf(client: HttpClient, word: string): Promise<string> {
  const { facts } = await jsonOf<{ facts: { id: string }[] }>(
    client.post('/api/memory/facts', { content: `${word} fact` }),
  );
  return present(facts[0]?.id);
}

async function scheduleOf(client: HttpClient, word: string): Promise<string> {
  const schedule = { name: word, prompt: word, cron: '0 0 1 1 *' };
  const made = await jsonOf<{ schedule_id: string }>(client.post('/api/schedules', schedule));
  return made.schedule_id;
}

async function sessionOf(client: HttpClient): Promise<string> {
  const { sessions } = await jsonOf<{ sessions: { id: string }[] }>(client.get('/api/v1/auth/sessions'));
  return present(sessions[0]?.id);
}

/** A new thread of the client with a state, which an attack may change. */
export async function freshThread(client: HttpClient): Promise<string> {
  const values = { messages: [{ role: 'user', content: 'hello' }] };
  const body = { supersteps: [{ updates: [{ values, as_node: 'model' }] }] };
  return (await jsonOf<{ thread_id: string }>(client.post('/api/threads', body))).thread_id;
}

export function absentIds(): Ids {
  const kinds = { task: v7(), thread: v7(), run: v7(), checkpoint: v7(), message: v7(), feedback: v7() };
  return {
    ...kinds,
    skill: skillName(),
    agent: agentName(),
    fact: `fact_${v7()}`,
    schedule: v7(),
    apiKey: crypto.randomUUID(),
    session: crypto.randomUUID(),
    user: crypto.randomUUID(),
  };
}

/** Two people may have skills of one name; that of another one is found by nobody. */
function skillName(): string {
  return `skill-${v7()}`;
}

/** The same holds for agents. */
function agentName(): string {
  return `agent-${v7()}`;
}

function present(id: string | undefined): string {
  if (id === undefined) throw new Error('Something is missing in the world of the test.');
  return id;
}
