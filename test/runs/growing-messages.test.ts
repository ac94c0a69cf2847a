// `messages`: each message as a whole, repeatedly while it grows, and once when it is complete.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import type { MessageJson, ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { runOf } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf, framesOf, type TestFrame } from '../support/sse.ts';

type Messages = readonly MessageJson[];

let test: TestService;
let client: HttpClient;
let threadId: string;
beforeAll(async () => {
  test = await openTestService();
  client = await test.user();
});
beforeEach(async () => {
  test.model.reset();
  threadId = await newThread(client);
});
afterAll(() => test.close());

const MESSAGES = { stream_mode: ['messages'] };

/** Returns the content in each frame of the growing message. */
function partialsIn(frames: readonly TestFrame[]): string[] {
  return dataOf<Messages>(frames, 'messages/partial').map(([message]) => message?.content ?? '');
}

function streamOf(frames: readonly TestFrame[], id: string): Promise<Response> {
  const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
  return client.get(path, { 'last-event-id': id });
}

it('[runs.stream.growing] shows a message with its metadata once, as it grows, and complete', async () => {
  const gate = Promise.withResolvers<void>();
  const steps = [step.text('One "two"'), step.until(gate.promise), step.text(' \\three 😀')];
  test.model.enqueue(answer.script(...steps, step.finish(), step.done()));
  const frames: TestFrame[] = [];
  const path = `/api/graph/threads/${threadId}/runs/stream`;
  const response = await client.post(path, question('Count', MESSAGES));
  expect(response.status).toBe(200);
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frame.event === 'messages/partial') gate.resolve();
  }
  const [asked, answered] = dataOf<Messages>(frames, 'messages/complete').flat();
  expect([asked?.type, asked?.content]).toEqual(['human', 'Count']);
  const [metadata, ...more] = dataOf<Record<string, unknown>>(frames, 'messages/metadata');
  expect([metadata, more]).toEqual([
    { [answered?.id ?? '']: { metadata: expect.objectContaining({ langgraph_node: 'model' }) } },
    [],
  ]);
  const partials = partialsIn(frames);
  expect(partials[0]).toBe('One "two"');
  expect(partials.every((text, index) => text.startsWith(partials[index - 1] ?? ''))).toBe(true);
  expect(partials.at(-1)).toBe('One "two" \\three 😀');
  expect(answered).toMatchObject({ id: answered?.id, type: 'ai', content: 'One "two" \\three 😀' });
  expect(new Set(frames.map(({ event }) => event))).toEqual(
    new Set(['metadata', 'messages/complete', 'messages/metadata', 'messages/partial', 'end']),
  );
});

it('[runs.stream.growing] shows calls as text while they are written, and parsed once they are complete', async () => {
  const call = { index: 0, id: 'call_a', name: 'ls' };
  const pieces = [
    step.callPiece({ ...call, args: '{"description":"see",' }),
    step.callPiece({ index: 0, args: '"path":"/mnt/user-data"}' }),
  ];
  test.model.enqueue(
    answer.script(
      step.reasoning('Let me '),
      step.reasoning('see.'),
      ...pieces,
      step.finish('tool_calls'),
      step.done(),
    ),
    answer.text('Done'),
  );
  const frames = await streamed(client, threadId, question('What is there?', MESSAGES));
  const last = dataOf<Messages>(frames, 'messages/partial').findLast(
    ([it]) => (it?.tool_calls ?? []).length > 0,
  );
  const args = { description: 'see', path: '/mnt/user-data' };
  expect(last).toMatchObject([
    {
      additional_kwargs: { reasoning_content: 'Let me see.' },
      tool_calls: [{ name: 'ls', id: 'call_a', args, type: 'tool_call' }],
      tool_call_chunks: [{ name: 'ls', id: 'call_a', index: 0, args: JSON.stringify(args) }],
    },
  ]);
  const complete = dataOf<Messages>(frames, 'messages/complete').flat();
  expect(complete.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
});

it('[runs.stream.growing.new] shows only the messages of its run, however long the thread is', async () => {
  test.model.onRequest(() => answer.text('ok'));
  await streamed(client, threadId, question('one', MESSAGES));
  const frames = await streamed(client, threadId, question('two', { stream_mode: ['messages', 'values'] }));
  const complete = dataOf<Messages>(frames, 'messages/complete').flat();
  expect(complete.map(({ content }) => content)).toEqual(['two', 'ok']);
  expect(dataOf<ValuesJson>(frames, 'values').at(-1)?.messages).toHaveLength(4);
});

it('[runs.stream.growing.behind] shows a reader that is behind the current message, not every step to it', async () => {
  const words = Array.from({ length: 2_000 }, (_, index) => `word${index} `);
  test.model.enqueue(answer.text(words));
  const frames = await streamed(client, threadId, question('Talk', { stream_mode: ['values'] }));
  const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream?stream_mode=messages`;
  const late = await allFrames(await client.get(path));
  const partials = partialsIn(late);
  expect(partials.at(-1)).toBe(words.join(''));
  expect(partials.length).toBeLessThan(50);
  const ids = late
    .map(({ id }) => id.split('-').map(Number))
    .map(([seq = 0, place = 0]) => seq * 1_000 + place);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

it('[runs.stream.growing.resume] shows the whole message to a reader that reconnects in the middle of it', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const steps = gates.flatMap(({ promise }, index) => [step.text(`part ${index}, `), step.until(promise)]);
  test.model.enqueue(answer.script(...steps, step.text('end'), step.finish(), step.done()));
  const first: TestFrame[] = [];
  const path = `/api/graph/threads/${threadId}/runs/stream`;
  for await (const frame of framesOf(await client.post(path, question('Talk', MESSAGES)))) {
    first.push(frame);
    if (frame.event === 'messages/partial') break;
  }
  gates[0].resolve();
  const rest: TestFrame[] = [];
  for await (const frame of framesOf(await streamOf(first, first.at(-1)?.id ?? ''))) {
    rest.push(frame);
    if (frame.event === 'messages/partial') gates[1].resolve();
  }
  expect(partialsIn(first)).toEqual(['part 0, ']);
  expect(partialsIn(rest)[0]).toBe('part 0, part 1, ');
  expect(partialsIn(rest).at(-1)).toBe('part 0, part 1, end');
  expect(rest.map(({ event }) => event)).not.toContain('messages/metadata');
  expect(
    dataOf<Messages>(rest, 'messages/complete')
      .flat()
      .map(({ content }) => content),
  ).toEqual(['part 0, part 1, end']);
});
