// Answers that call more tools than may run at once, or at all.
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, result } from '../../src/tools/tool.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
afterEach(() => test.close());

/** A tool that waits until the test lets it go on, and counts how many of its calls run. */
function gatedTool() {
  const gate = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  const seen = { running: 0, most: 0, ran: [] as number[] };
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: z.object({ n: z.number() }),
    effect: 'once',
    async run({ n }) {
      seen.ran.push(n);
      seen.running++;
      seen.most = Math.max(seen.most, seen.running);
      if (seen.running === 16) full.resolve();
      await gate.promise;
      seen.running--;
      return result(`did ${n}`);
    },
  });
  return { tool, seen, full: full.promise, open: () => gate.resolve() };
}

const callsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `call-${n}`, name: 'work', args: { n } }));
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

async function open() {
  const gated = gatedTool();
  test = await openTestService({ overrides: { tools: (own) => [...own, gated.tool] } });
  const client = await test.user();
  const threadId = await newThread(client);
  const toolMessages = async () => {
    const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    return values.messages.filter(({ type }) => type === 'tool');
  };
  return { ...gated, client, threadId, toolMessages };
}

it('[fair.tool-calls] calls that a state update claims to come from the model run 16 at a time, in their order', async () => {
  const { client, threadId, seen, full, open: letGo, toolMessages } = await open();
  const message = { type: 'ai', id: 'claimed', content: '', tool_calls: callsOf(40) };
  const update = { values: { messages: [message] }, as_node: 'model' };
  expect((await client.post(`/api/graph/threads/${threadId}/state`, update)).status).toBe(200);
  test.model.enqueue(answer.text('done'));
  const run = streamed(client, threadId, { assistant_id: 'lead_agent', command: { goto: 'tools' } });
  await full;
  expect(seen.ran).toEqual(numbers(16));
  // What waits is not told as begun: after a crash it is run, and not taken for done.
  const path = `/api/threads/${threadId}/events?event_types=tool_start&limit=100`;
  expect(await jsonOf<unknown[]>(client.get(path))).toHaveLength(16);
  letGo();
  await run;
  expect(seen).toEqual({ running: 0, most: 16, ran: numbers(40) });
  expect((await toolMessages()).map(({ content }) => content)).toEqual(numbers(40).map((n) => `did ${n}`));
});

it('[fair.tool-calls] [hostile.S66] of a reply with 200 calls 128 run, and each of the others gets an error', async () => {
  const { client, threadId, seen, full, open: letGo, toolMessages } = await open();
  test.model.enqueue(answer.toolCalls(callsOf(200)), answer.text('done'));
  const run = streamed(client, threadId, question('go'));
  await full;
  letGo();
  await run;
  expect(seen).toEqual({ running: 0, most: 16, ran: numbers(128) });
  const told = await toolMessages();
  expect(told).toHaveLength(200);
  expect(told[127]).toMatchObject({ content: 'did 127', status: 'success' });
  expect(new Set(told.slice(128).map(({ status }) => status))).toEqual(new Set(['error']));
  expect(told[199]?.content).toBe(
    'Error: one answer may make at most 128 tool calls, and this one was not run. ' +
      'Make it in another answer if it is still needed.',
  );
});
