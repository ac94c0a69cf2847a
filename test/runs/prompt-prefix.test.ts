// Providers cache the beginning of a prompt: each prompt begins with the one before it.
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
afterEach(() => test.close());

const PLAN_MODE = { config: { configurable: { is_plan_mode: true } } };
const look = (id: string) => ({
  id,
  name: 'ls',
  args: { description: 'look', path: '/mnt/user-data/workspace' },
});
const plan = {
  id: 'w1',
  name: 'write_todos',
  args: { todos: [{ content: 'look', status: 'completed' }] },
};

/** Runs three turns with tool calls in each, and returns their requests. */
async function threeTurns(facts: readonly string[]) {
  test = await openTestService({ config: { skills: {}, memory: { extraction: { enabled: false } } } });
  const client = await test.user();
  for (const content of facts) await jsonOf(client.post('/api/memory/facts', { content }));
  const threadId = await newThread(client);
  for (const turn of ['1', '2', '3']) {
    const first = turn === '1' ? [plan, look('c1')] : [look(`c${turn}`)];
    test.model.enqueue(
      answer.toolCalls(first),
      answer.toolCalls([look(`d${turn}`)]),
      answer.text(`Nothing there in turn ${turn}.`),
    );
    await streamed(client, threadId, question(`What is there in turn ${turn}?`, PLAN_MODE));
  }
  return test.model.requests.map(({ body }) => {
    const messages = z.array(z.looseObject({ role: z.string(), content: z.unknown() })).parse(body.messages);
    return { messages, tools: JSON.stringify(body.tools), text: textOf(messages) };
  });
}

/** Returns the list as it is sent, without the closing bracket. */
const textOf = (messages: readonly object[]) => JSON.stringify(messages).slice(0, -1);

it('[models.prompt.prefix] holds byte by byte, in a run and from turn to turn, with skills and with a plan', async () => {
  const requests = await threeTurns([]);
  expect(requests.length).toBe(9);
  expect(requests[0]?.text).toMatch(/skill/i);
  requests.slice(1).forEach(({ text, tools }, index) => {
    const before = requests[index];
    if (before === undefined) throw new Error('no request');
    expect(tools).toBe(before.tools);
    expect(text.slice(0, before.text.length)).toBe(before.text);
  });
});

it('[models.prompt.prefix] facts follow the newest message, so the beginning does not change', async () => {
  const requests = await threeTurns(['Drinks green tea', 'Lives in Lisbon']);
  requests.slice(1).forEach(({ messages, text }, index) => {
    const before = requests[index]?.messages ?? [];
    const newest = before.findLastIndex(({ content }) => String(content).includes('<remembered_facts>'));
    expect(newest).toBeGreaterThan(0);
    const kept = textOf(before.slice(0, newest));
    expect(text.slice(0, kept.length)).toBe(kept);
    const [words = ''] = String(before[newest]?.content).split('\n\n<remembered_facts>');
    expect([index, String(messages[newest]?.content).slice(0, words.length)]).toEqual([index, words]);
  });
});
