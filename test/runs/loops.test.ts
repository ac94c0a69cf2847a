// Runs that go round in circles: the model is warned, then the run ends with a sentence.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, result } from '../../src/tools/tool.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer, type ToolCallAnswer } from '../support/model-server/answer.ts';
import { ls, type ModelRequest, messagesOf, task } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

const WARNED = 'You are repeating calls of';
const write = (content: string): ToolCallAnswer => ({
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/n', content },
});
const read = (name: string): ToolCallAnswer => ({
  name: 'read_file',
  args: { description: 'look', path: `/mnt/user-data/workspace/${name}` },
});
const times = (count: number, ...round: readonly ToolCallAnswer[]): Answer[] =>
  Array.from({ length: count }, (_, index) => round[index % round.length]).flatMap((call) =>
    call === undefined ? [] : [answer.toolCalls([call])],
  );

let test: TestService;
beforeAll(async () => {
  let calls = 0;
  const count = defineTool({
    name: 'count',
    description: 'Says how often it was called.',
    input: z.object({}),
    effect: 'read',
    run: async () => result(`${++calls}`),
  });
  test = await openTestService({ overrides: { tools: (own) => [...own, count] } });
});
afterEach(() => test.model.reset());
afterAll(() => test.close());

/** Runs these replies on a new thread or on an existing one. */
async function run(answers: readonly Answer[], fields: Record<string, unknown> = {}, thread?: string) {
  const client = await test.user('looper');
  const threadId = thread ?? (await newThread(client));
  test.model.reset();
  test.model.enqueue(...answers);
  const limit = { config: { recursion_limit: 200 } };
  const frames = await streamed(client, threadId, question('go', { ...limit, ...fields }));
  const path = `/api/graph/threads/${threadId}`;
  const [ended] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  const events = await jsonOf<{ event_type: string; content: unknown }[]>(
    client.get(`/api/threads/${threadId}/runs/${ended?.run_id}/events?limit=2000`),
  );
  return { threadId, frames, ended, messages: values.messages, events };
}

/** Returns the number of warnings in each request to the model. */
const warnings = () =>
  test.model.requests.map(
    (request) => messagesOf(request).filter(({ content }) => content?.includes(WARNED)).length,
  );

function lastRequest(): ModelRequest {
  const request = test.model.requests.at(-1);
  if (request === undefined) throw new Error('The model was not asked.');
  return request;
}

describe('the same call repeatedly', () => {
  it('[loops.warn] [loops.stop] warns the model once, then ends the run with a sentence', async () => {
    const { ended, frames, messages, events } = await run(times(20, ls('same')));
    expect(warnings()).toEqual([0, 0, 0, 1, 1, 1]);
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'loop_detected' });
    expect(ended?.error).toMatch(/round in circles.*\(ls\) 6 times.*Send another message/);
    expect(dataOf<object>(frames, 'error')).toEqual([{ error: 'LoopDetectedError', message: ended?.error }]);
    expect(messages.at(-1)).toMatchObject({ type: 'tool', status: 'error' });
    expect(messages.filter(({ type, status }) => type === 'tool' && status === 'success')).toHaveLength(5);
    expect(JSON.stringify(messages)).not.toContain(WARNED);
    expect(events.filter(({ event_type }) => event_type === 'middleware:loops')).toHaveLength(1);
  });

  it('[loops.data] the warning is marked as the service’s, and keeps its place', async () => {
    await run([...times(4, ls('same')), ...times(2, read('a')), answer.text('done')]);
    const [fourth, ...later] = test.model.requests.slice(3).map(messagesOf);
    expect(fourth?.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringMatching(/^<system-reminder>\n[\s\S]*ls[\s\S]*<\/system-reminder>$/),
    });
    expect(later).toHaveLength(3);
    for (const request of later) expect(request.slice(0, fourth?.length)).toEqual(fourth);
    expect(warnings()).toEqual([0, 0, 0, 1, 1, 1, 1]);
  });

  it('[loops.stop] the next message starts over, and every earlier call has its result', async () => {
    const { threadId } = await run(times(6, ls('same')));
    const next = await run([...times(2, ls('same')), answer.text('done')], {}, threadId);
    expect(next.ended).toMatchObject({ status: 'success', stop_reason: 'completed' });
    const roles = messagesOf(lastRequest()).map(({ role }) => role);
    const pair = ['assistant', 'tool'];
    expect(roles.filter((role) => pair.includes(role))).toEqual(Array.from({ length: 8 }, () => pair).flat());
  });

  it('[loops.same] descriptions for people in calls of the service’s own tools make no difference', async () => {
    const said = Array.from({ length: 6 }, (_, index) =>
      answer.toolCalls([{ ...read('a'), args: { ...read('a').args, description: `try ${index}` } }]),
    );
    expect((await run(said)).ended?.stop_reason).toBe('loop_detected');
  });

  it('[loops.same] the order of arguments makes no difference, another argument does', async () => {
    const turned = {
      name: 'read_file',
      args: Object.fromEntries(Object.entries(read('a').args).toReversed()),
    };
    expect((await run(times(6, read('a'), turned))).ended?.stop_reason).toBe('loop_detected');
    const files = Array.from({ length: 12 }, (_, index) => answer.toolCalls([read(`${index}`)]));
    expect((await run([...files, answer.text('done')])).ended?.stop_reason).toBe('completed');
    expect(warnings()).not.toContain(1);
  });

  it('[loops.waiting] a call whose results change has four times the limit', async () => {
    const grow = { name: 'count', args: {} };
    const waited = await run([...times(20, grow), answer.text('done')]);
    expect(waited.ended?.stop_reason).toBe('completed');
    expect(warnings().indexOf(1)).toBe(12);
    expect((await run(times(30, grow))).ended?.stop_reason).toBe('loop_detected');
    expect(test.model.requests).toHaveLength(24);
  });
});

describe('rounds of several calls', () => {
  it.each([
    { names: ['a', 'b'], asked: 12 },
    { names: ['a', 'b', 'c'], asked: 18 },
  ])('[loops.rounds] of $names.length are found after six rounds', async ({ names, asked }) => {
    const { ended } = await run(times(40, ...names.map(read)));
    expect(ended).toMatchObject({ stop_reason: 'loop_detected' });
    expect(test.model.requests).toHaveLength(asked);
    expect(warnings().filter((it) => it === 1)).toHaveLength(asked / 2);
  });

  it('[loops.rounds] work that only looks like a round continues', async () => {
    const edits = Array.from({ length: 10 }, (_, index) => [
      answer.toolCalls([write(`${index}`)]),
      answer.toolCalls([read('a')]),
    ]).flat();
    expect((await run([...edits, answer.text('done')])).ended?.stop_reason).toBe('completed');
    expect(warnings()).not.toContain(1);
  });
});

describe('elsewhere', () => {
  it('[loops.subagent] a sub-agent that goes round in circles fails its task, and the run continues', async () => {
    const { ended, messages } = await run([
      answer.toolCalls([task('c1')]),
      ...times(6, read('a')),
      answer.text('without it'),
    ]);
    expect(ended?.stop_reason).toBe('completed');
    expect(messages.find(({ type }) => type === 'tool')).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/round in circles/),
    });
  });

  it('[loops.limits] are set by agent.loops', async () => {
    const own = await openTestService({ config: { agent: { loops: { warn_after: 2, stop_after: 4 } } } });
    const off = await openTestService({ config: { agent: { loops: { enabled: false } } } });
    const stops: unknown[] = [];
    for (const { model, user } of [own, off]) {
      const client = await user('tester');
      const threadId = await newThread(client);
      model.enqueue(...times(8, ls('same')), answer.text('done'));
      await streamed(client, threadId, question('go'));
      const [ended] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
      stops.push([ended?.stop_reason, model.requests.length]);
    }
    await own.close();
    await off.close();
    expect(stops).toEqual([
      ['loop_detected', 4],
      ['completed', 9],
    ]);
  });
});
