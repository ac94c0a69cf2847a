// Pieces of a reply that arrived together are one event of the log, and still a frame each. Long frames are
// sent in slices.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf } from '../support/sse.ts';

type Tuple = [{ readonly content: string }, { readonly run_id: string }];

const WORDS = Array.from({ length: 300 }, (_, index) => `word${index} `);

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

it('[runs.stream.messages] shows every piece of the model as a chunk, however they arrived', async () => {
  const client = await test.user();
  test.model.enqueue(answer.text(WORDS));
  const body = question('hi', { stream_mode: ['messages-tuple'] });
  const frames = await streamed(client, await newThread(client), body);
  const contents = dataOf<Tuple>(frames, 'messages').map(([chunk]) => chunk.content);
  expect(contents.filter((content) => content !== '')).toEqual(WORDS);
});

it('[runs.stream.replay] resumes in the middle of pieces that arrived together', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.enqueue(answer.text(WORDS));
  const frames = await streamed(client, threadId, question('hi', { stream_mode: ['messages-tuple'] }));
  const middle = frames.findIndex(({ id }) => /^\d+-[1-9]/.test(id));
  expect(middle).toBeGreaterThan(0);
  const runId = dataOf<Tuple>(frames, 'messages')[0]?.[1].run_id;
  const path = `/api/graph/threads/${threadId}/runs/${runId}/stream`;
  const rest = await allFrames(await client.get(path, { 'last-event-id': frames[middle]?.id ?? '' }));
  expect(rest).toEqual(frames.slice(middle + 1));
});

/** A slice has 65,536 characters, and some of them take more than one byte. */
const MOST_BYTES = 70_000;

it('[runs.stream.long] sends a long state in slices in every mode that shows it', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  const messages = WORDS.map((word) => ({ role: 'user', content: word.repeat(100) }));
  for (let start = 0; start < messages.length; start += 100) {
    const values = { messages: messages.slice(start, start + 100) };
    expect((await client.post(`/api/graph/threads/${threadId}/state`, { values })).status).toBe(200);
  }
  test.model.enqueue(answer.text('Fine'));
  const body = question('hi', { stream_mode: ['events', 'debug', 'tasks', 'checkpoints'] });
  const sent = await client.post(`/api/graph/threads/${threadId}/runs/stream`, body);
  const chunks: Buffer[] = [];
  for await (const chunk of sent.body ?? []) chunks.push(Buffer.from(chunk));
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(MOST_BYTES);

  const frames = await allFrames(new Response(Buffer.concat(chunks)));
  const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  const values = { messages: state.values.messages, title: state.values.title };
  expect(values.messages).toHaveLength(messages.length + 2);
  const given = { ...values, messages: values.messages.slice(0, -1) };
  const told = dataOf<{ readonly event: string; readonly data: unknown }>(frames, 'events');
  const dataOfEvent = (event: string) => told.findLast((it) => it.event === event)?.data;
  expect(dataOfEvent('on_chain_end')).toEqual({ output: values });
  expect(dataOfEvent('on_chain_start')).toEqual({ input: given });
  expect(dataOfEvent('on_chat_model_start')).toEqual({ input: { messages: [given.messages] } });
  expect(dataOfEvent('on_chat_model_end')).toEqual({
    output: values.messages.at(-1),
    input: { messages: [given.messages] },
  });
  const checkpoint = dataOf<{ readonly values: unknown }>(frames, 'checkpoints').at(-1);
  expect(checkpoint?.values).toEqual(values);
  const tasks = dataOf<{ readonly name: string; readonly input?: unknown }>(frames, 'tasks');
  const task = tasks.findLast(({ name, input }) => name === 'model' && input !== undefined);
  expect(task?.input).toEqual(given);
  const steps = dataOf<{ readonly payload: unknown }>(frames, 'debug').map(({ payload }) => payload);
  expect(steps).toContainEqual(task);
  expect(steps).toContainEqual(checkpoint);
});
