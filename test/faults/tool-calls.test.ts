// Tool calls that no model should make (fault.F51).
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

/** One call whose arguments are exactly this text. */
const withArguments = (args: string): Answer =>
  answer.script(
    step.callPiece({ index: 0, id: 'call_0', name: 'ls', args }),
    step.finish('tool_calls'),
    step.done(),
  );

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

it.each<[string, Answer, number]>([
  ['an unknown name', answer.toolCalls([{ name: 'nonsense', args: {} }]), 1],
  ['one id for all', answer.duplicateIds([look, look, look]), 3],
  ['no id', answer.missingIds([look, look]), 2],
  [
    'arguments of five megabytes',
    withArguments(JSON.stringify({ ...look.args, more: 'x'.repeat(5_000_000) })),
    1,
  ],
  ['200 at once', answer.toolCalls(Array.from({ length: 200 }, () => look)), 200],
])('[fault.F51] %s: every call has one result, and the next turn is valid', async (_, calls, count) => {
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.enqueue(calls, answer.text('I see'));
  const frames = await streamed(client, threadId, question('go'));
  expect(frames.at(-1)?.event).toBe('end');
  const path = `/api/graph/threads/${threadId}`;
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.filter(({ type }) => type === 'tool')).toHaveLength(count);
  expect(values.messages.at(-1)?.content).toBe('I see');
  const prompt = test.model.requests.at(-1)?.body.messages as readonly {
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
  const called = prompt.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  expect(new Set(called).size).toBe(count);
  expect(prompt.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(called);
});

it.each<[string, Answer]>([
  ['arguments that are no object', withArguments('[1, 2]')],
  ['arguments that are no JSON', withArguments('{"path": ')],
  ['calls without a name', answer.toolCalls([{ name: '', args: {} }])],
])('[fault.F50] [fault.F51] %s are never stored; the reply is requested once more', async (_, broken) => {
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.enqueue(broken, answer.text('better'));
  await streamed(client, threadId, question('go'));
  const path = `/api/graph/threads/${threadId}`;
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.flatMap(({ tool_calls = [] }) => tool_calls)).toEqual([]);
  expect(values.messages.at(-1)?.content).toBe('better');
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  expect(run).toMatchObject({ status: 'success' });
});
