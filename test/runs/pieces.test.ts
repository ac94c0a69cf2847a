// Pieces of an answer that arrived together are one event of the log, and still a frame each.
import { afterEach, beforeEach, expect, it } from 'vitest';
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

it('[runs.stream.replay] goes on in the middle of pieces that arrived together', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.enqueue(answer.text(WORDS));
  const frames = await streamed(client, threadId, question('hi', { stream_mode: ['messages-tuple'] }));
  const middle = frames.findIndex(({ id }) => /-[1-9]/.test(id));
  expect(middle).toBeGreaterThan(0);
  const runId = dataOf<Tuple>(frames, 'messages')[0]?.[1].run_id;
  const path = `/api/graph/threads/${threadId}/runs/${runId}/stream`;
  const rest = await allFrames(await client.get(path, { 'last-event-id': frames[middle]?.id ?? '' }));
  expect(rest).toEqual(frames.slice(middle + 1));
});
