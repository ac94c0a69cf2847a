// Suggestions of what to say next, written by a model on request.
import { afterEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { lastRun, usageDays } from '../support/usage.ts';

let test: TestService;
afterEach(() => test.close());

async function open(config: Record<string, unknown> = {}): Promise<{ client: HttpClient; threadId: string }> {
  test = await openTestService({ config });
  const client = await test.user();
  return { client, threadId: await newThread(client) };
}

const suggest = (client: HttpClient, threadId: string, body: object = {}) =>
  client.post(`/api/threads/${threadId}/suggestions`, body);
const suggested = async (client: HttpClient, threadId: string, body: object = {}) =>
  (await jsonOf<{ suggestions: string[] }>(suggest(client, threadId, body))).suggestions;
const promptOf = (index: number) => JSON.stringify(test.model.requests[index]?.body.messages);

const WRITTEN =
  '<think>hm ["no"]</think>Sure:\n```json\n["Which keep longest?", "Which  keep\\nlongest?", "", 7, "And figs?", "A recipe?"]\n```';

it('[suggestions.thread] [suggestions.again] [suggestions.counted] are written once for a conversation, and counted', async () => {
  const { client, threadId } = await open();
  test.model.enqueue(answer.text('Olives grow here.'), answer.text(WRITTEN));
  await streamed(client, threadId, question('What grows here?'));
  const written = ['Which keep longest?', 'And figs?'];
  const twice = await Promise.all([1, 2].map(() => suggested(client, threadId, { n: 2 })));
  expect(twice).toEqual([written, written]);
  expect(promptOf(1)).toContain('What grows here?');
  expect(promptOf(1)).toContain('Olives grow here.');
  expect(await suggested(client, threadId, { n: 2 })).toEqual(written);
  expect(test.model.requests).toHaveLength(2);

  const run = await lastRun(client, threadId);
  expect(run).toMatchObject({ middleware_tokens: 15, lead_agent_tokens: 15, llm_call_count: 2 });
  const days = await usageDays(client);
  expect(days.total).toMatchObject({ tokens: 30, calls: 2 });
  const events = await jsonOf<
    { event_type: string; category: string; content: unknown; metadata: { caller?: string } }[]
  >(client.get(`/api/threads/${threadId}/runs/${run.run_id}/events?limit=100`));
  expect(events.filter(({ metadata }) => metadata.caller === 'middleware:suggestions')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({
    event_type: 'middleware:suggestions',
    category: 'middleware',
    content: { name: 'suggestions', changes: { suggestions: written } },
  });

  test.model.enqueue(answer.text('Figs too.'), answer.text('["More?"]'));
  await streamed(client, threadId, question('And figs?'));
  expect(await suggested(client, threadId)).toEqual(['More?']);
});

it('[suggestions.messages] [suggestions.bad] the client may send the conversation and choose the model', async () => {
  const { client, threadId } = await open();
  test.model.enqueue(answer.text('Hello'), answer.text('["Weiter?"]'));
  await streamed(client, threadId, question('hello'));
  const messages = [
    { role: 'user', content: 'Was wächst hier?' },
    { role: 'assistant', content: 'Oliven.' },
  ];
  expect(await suggested(client, threadId, { messages, model_name: 'scripted' })).toEqual(['Weiter?']);
  expect(promptOf(1)).toContain('Oliven.');
  expect(promptOf(1)).not.toContain('hello');
  for (const bad of [
    { n: 0 },
    { n: 6 },
    { n: '3' },
    { messages: [{ role: 'system', content: 'x' }] },
    { model_name: 'nobody' },
  ])
    expect((await suggest(client, threadId, bad)).status, JSON.stringify(bad)).toBe(422);
  expect(test.model.requests).toHaveLength(2);
});

it('[suggestions.failing] a model that fails or returns nothing usable gives an empty list', async () => {
  const { client, threadId } = await open();
  test.model.enqueue(answer.text('Hello'));
  await streamed(client, threadId, question('hello'));
  for (const failing of [
    answer.text('I cannot.'),
    answer.text('["half'),
    answer.text('{"a": []}'),
    answer.serverError(400),
  ]) {
    test.model.enqueue(failing);
    expect(await suggested(client, threadId)).toEqual([]);
  }
  // A failed request is tried again.
  test.model.enqueue(answer.text('["Now?"]'));
  expect(await suggested(client, threadId)).toEqual(['Now?']);
});

it('[suggestions.none] there are none during a run and before the first one', async () => {
  const { client, threadId } = await open();
  expect(await suggested(client, threadId)).toEqual([]);
  const said = Promise.withResolvers<void>();
  test.model.onRequest(async () => {
    await said.promise;
    return answer.text('Hello');
  });
  const running = streamed(client, threadId, question('hello'));
  await test.model.requested(1);
  expect(await suggested(client, threadId)).toEqual([]);
  said.resolve();
  await running;
  expect(test.model.requests).toHaveLength(1);
});

it('[suggestions.none] there are none with a spent budget', async () => {
  const { client, threadId } = await open({ budgets: { per_user_day: { tokens: 1_000_000 } } });
  test.model.enqueue(answer.text('Hello', { usage: { prompt: 999_995, completion: 5 } }));
  await streamed(client, threadId, question('hello'));
  expect(await suggested(client, threadId)).toEqual([]);
  expect(test.model.requests).toHaveLength(1);
});

it('[suggestions.none] there are none when they are off', async () => {
  const { client, threadId } = await open({ agent: { suggestions: { enabled: false } } });
  test.model.enqueue(answer.text('Hello'));
  await streamed(client, threadId, question('hello'));
  expect(await jsonOf(client.get('/api/suggestions/config'))).toEqual({ enabled: false, max_suggestions: 5 });
  expect(await suggested(client, threadId)).toEqual([]);
  expect(test.model.requests).toHaveLength(1);
});
