// Every event of the catalogue, provoked over HTTP. A type without a case does not compile.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRunEventType, RUN_EVENTS, type RunEventType } from '../../src/runs/record/run-event-catalogue.ts';
import { defineTool, result } from '../../src/tools/tool.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import type { EventJson } from '../support/record-json.ts';
import { lookAndAnswer, oneTask, openScripted } from '../support/scripted-subagents.ts';
import { newThread, question, streamed, type TestServiceOptions } from '../support/service.ts';
import { FULL, openLongThread, SUMMARY, WINDOW } from './long-thread.ts';

/** The replies of the model in one run, and its options. */
interface Case {
  readonly lead: readonly Answer[];
  readonly options?: TestServiceOptions;
  /** Fields of the request that creates the run. */
  readonly fields?: Record<string, unknown>;
}

const ls = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
const ANSWERED: Case = { lead: [answer.text('Hi')] };
const LOOKED: Case = { lead: [answer.toolCalls([ls]), answer.text('Empty')] };
const REFUSED: Case = { lead: [answer.serverError(400)] };
const DELEGATED: Case = { lead: oneTask() };
const todos = [{ content: 'look', status: 'pending' }];
/** The agent is about to end, and its plan is unfinished. */
const PLANNED: Case = {
  lead: [
    answer.toolCalls([{ name: 'write_todos', args: { todos } }]),
    answer.text('Hi'),
    answer.text('Later'),
  ],
  fields: { config: { configurable: { is_plan_mode: true } } },
};
const LOOPED: Case = {
  lead: [...Array.from({ length: 3 }, () => answer.toolCalls([ls])), answer.text('Hi')],
};
/** `tool_outcome_unknown` needs a process that dies: test/faults/crash-points.test.ts. */
type Provoked = Exclude<RunEventType, 'tool_outcome_unknown'>;

const CASES: Readonly<Record<Provoked, Case | (() => Promise<readonly EventJson[]>)>> = {
  human_message: ANSWERED,
  run_start: ANSWERED,
  llm_request: ANSWERED,
  llm_response: ANSWERED,
  llm_error: REFUSED,
  model_fallback: replaced,
  ai_tool_call: LOOKED,
  ai_message: ANSWERED,
  tool_start: LOOKED,
  tool_end: LOOKED,
  tool_result: LOOKED,
  message_edited: revised,
  message_removed: revised,
  'middleware:title': ANSWERED,
  'middleware:plan': PLANNED,
  'middleware:loops': LOOPED,
  'middleware:goal': judged,
  'middleware:suggestions': suggested,
  'middleware:summarize': summarized,
  subagent_start: DELEGATED,
  subagent_step: DELEGATED,
  subagent_end: DELEGATED,
  run_end: ANSWERED,
  run_error: REFUSED,
};

/** Returns the events of a run whose model is unreachable, so that another one replies. */
async function replaced(): Promise<readonly EventJson[]> {
  const models = [
    {
      name: 'away',
      provider: 'openai-compatible',
      model: 'm',
      base_url: 'http://127.0.0.1:9/v1',
      fallbacks: ['demo'],
    },
    { name: 'demo', provider: 'demo', model: 'demo' },
  ];
  return eventsOf({ lead: [], options: { config: { models } } });
}

/** Returns the events of a thread with one edited and one removed message. */
async function revised(): Promise<readonly EventJson[]> {
  const test = await openScripted([answer.text('Hi')], {});
  const client = await test.user();
  const threadId = await newThread(client);
  await streamed(client, threadId, question('hello'));
  const state = `/api/threads/${threadId}/state`;
  const { values } = await jsonOf<StateJson>(client.get(state));
  const [asked, said] = values.messages;
  const messages = [
    { type: 'human', id: asked?.id, content: 'hello again' },
    { type: 'remove', id: said?.id },
  ];
  await client.post(state, { values: { messages } });
  const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/events?limit=2000`));
  await test.close();
  return events;
}

/** Returns the events of a thread with a goal that its first reply meets. */
async function judged(): Promise<readonly EventJson[]> {
  const met = '{"verdict": "met", "progress": true, "reason": "It is there."}';
  const test = await openScripted([answer.text('Hi'), answer.text(met)], {});
  const client = await test.user();
  const threadId = await newThread(client);
  await client.put(`/api/threads/${threadId}/goal`, { text: 'a greeting' });
  await streamed(client, threadId, question('hello'));
  const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/events?limit=2000`));
  await test.close();
  return events;
}

/** Returns the events of a thread whose person requested suggestions. */
async function suggested(): Promise<readonly EventJson[]> {
  const test = await openScripted([answer.text('Hi'), answer.text('["And you?"]')], {});
  const client = await test.user();
  const threadId = await newThread(client);
  await streamed(client, threadId, question('hello'));
  await client.post(`/api/threads/${threadId}/suggestions`, {});
  const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/events?limit=2000`));
  await test.close();
  return events;
}

/** Returns the events of a thread that fills the window of its model. */
async function summarized(): Promise<readonly EventJson[]> {
  const thread = await openLongThread(WINDOW);
  const { test, client, threadId, askLong } = thread;
  thread.answer(() => answer.text('fine', FULL));
  await askLong(7);
  const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/events?limit=2000`));
  await test.close();
  return events;
}

async function eventsOf({ lead, options = {}, fields = {} }: Case): Promise<readonly EventJson[]> {
  const test = await openScripted(lead, { 'do c1': lookAndAnswer() }, options);
  const client = await test.user();
  const threadId = await newThread(client);
  await streamed(client, threadId, question('hello', fields));
  const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/events?limit=2000`));
  // Compares the whole record with the catalogue.
  await test.close();
  return events;
}

describe('the catalogue', () => {
  it.each(Object.entries(CASES))(
    '[events.each] %s is recorded as the catalogue says',
    async (type, given) => {
      const all = await (typeof given === 'function' ? given() : eventsOf(given));
      const events = all.filter(({ event_type }) => event_type === type);
      expect(events.length).toBeGreaterThan(0);
      for (const { category } of events)
        expect(isRunEventType(type) && RUN_EVENTS[type].category).toBe(category);
    },
  );

  it('[events.command] a tool that changes the state is recorded as its message', async () => {
    const remember = defineTool({
      name: 'remember',
      description: 'Remembers a word.',
      input: z.object({ word: z.string() }),
      effect: 'read',
      run: async ({ word }) => result(`remembered ${word}`, { todos: [word] }),
    });
    const call = { name: 'remember', args: { word: 'boat' } };
    const events = await eventsOf({
      lead: [answer.toolCalls([call]), answer.text('Done')],
      options: { overrides: { tools: (own) => [...own, remember] } },
    });
    const [recorded] = events.filter(({ event_type }) => event_type === 'tool_result');
    expect(recorded?.content).toMatchObject({ type: 'tool', name: 'remember', content: 'remembered boat' });
    expect(JSON.stringify(recorded)).not.toContain('todos');
  });

  it('[events.failed-tool] a tool that fails is recorded with status error', async () => {
    const events = await eventsOf({
      lead: [answer.toolCalls([{ name: 'nothing_like_it', args: {} }]), answer.text('Done')],
    });
    const [recorded] = events.filter(({ event_type }) => event_type === 'tool_result');
    expect(recorded?.content).toMatchObject({
      type: 'tool',
      status: 'error',
      tool_call_id: expect.any(String),
    });
  });

  it('[events.follow-up] the question names the run that it follows', async () => {
    const test = await openScripted([answer.text('a'), answer.text('b'), answer.text('c')], {});
    const client = await test.user();
    const threadId = await newThread(client);
    for (const text of ['one', 'two']) await streamed(client, threadId, question(text));
    const [, first] = await jsonOf<RunJson[]>(client.get(`/api/threads/${threadId}/runs?limit=9`));
    await streamed(client, threadId, question('three', { follow_up_to_run_id: first?.run_id }));
    const runs = await jsonOf<RunJson[]>(client.get(`/api/threads/${threadId}/runs?limit=9`));
    const path = `/api/threads/${threadId}/events?event_types=human_message`;
    const humans = await jsonOf<EventJson[]>(client.get(path));
    expect(humans.map(({ metadata }) => metadata.follow_up_to_run_id)).toEqual([
      undefined,
      runs.at(-1)?.run_id,
      first?.run_id,
    ]);
    await test.close();
  });

  it('[events.middleware] the reply to a middleware is no message of the assistant', async () => {
    const events = await summarized();
    const calls = events.filter(({ event_type }) => event_type === 'llm_response');
    expect(calls.map(({ metadata }) => metadata.caller)).toContain('middleware:summarize');
    const said = events.filter(({ event_type }) => event_type === 'ai_message');
    expect(said).toHaveLength(7);
    expect(said.map(({ content }) => content.content)).not.toContain(SUMMARY);
  });

  it('[events.flushed] the events of a cancelled run are in the record, and so is its end', async () => {
    const test = await openScripted([answer.hangMidStream('half an answer')], {});
    const client = await test.user();
    const threadId = await newThread(client);
    const run = await jsonOf<RunJson>(client.post(`/api/threads/${threadId}/runs`, question('go')));
    await test.model.requested(1);
    await client.post(`/api/threads/${threadId}/runs/${run.run_id}/cancel?wait=1`, {});
    const events = await jsonOf<EventJson[]>(
      client.get(`/api/threads/${threadId}/runs/${run.run_id}/events`),
    );
    const types = events.map(({ event_type }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['human_message', 'run_start', 'llm_request', 'run_end']));
    expect(events.at(-1)?.metadata).toMatchObject({
      status: 'interrupted',
      stop_reason: 'interrupted_by_user',
    });
    await test.close();
  });
});
