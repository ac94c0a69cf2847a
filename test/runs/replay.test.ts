// A reader that reconnects: ids, cursors and the frames after them (docs/contract/streaming.md#coming-back).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import type { ValuesJson as Values } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type MessageTuple, MODES, runOf } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf, framesOf, type TestFrame } from '../support/sse.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

const WORDS = ['one ', 'two ', 'three ', 'four '];

/** Reads as a client that leaves after each word, an event each, and is back before the next one. */
async function comingBack(client: HttpClient, modes: readonly string[], event: string) {
  const gates = WORDS.map((word) => ({ word, ...Promise.withResolvers<void>() }));
  const pieces = gates.flatMap(({ word, promise }) => [step.text(word), step.until(promise)]);
  test.model.enqueue(answer.script(...pieces, step.finish(), step.done()));
  const threads = `/api/graph/threads/${await newThread(client)}`;
  const response = await client.post(`${threads}/runs/stream`, question('hi', { stream_mode: modes }));
  const seen: TestFrame[] = [];
  let waiting = gates;
  for await (const frame of framesOf(response)) {
    seen.push(frame);
    if (frame.event !== event) continue;
    if (waiting.length === 1) break;
    waiting[0]?.resolve();
    waiting = waiting.slice(1);
  }
  const path = `${threads}/runs/${runOf(seen)}/stream`;
  const rest = await client.get(path, { 'last-event-id': seen.at(-1)?.id ?? '' });
  for (const { resolve } of waiting) resolve();
  const frames = [...seen, ...(await allFrames(rest))];
  const spoken = frames.filter((frame) => frame.event === event);
  return { path, frames, said: spoken.map(({ data }) => (data as MessageTuple)[0].content) };
}

describe('a reader that reconnects', () => {
  it('[runs.stream.replay] sees the frames after its last id, from every position, unchanged', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text(['one ', 'two ', 'three']));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    for (const [index, { id }] of frames.entries()) {
      const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
      const rest = await allFrames(await client.get(path, { 'last-event-id': id }));
      expect(rest).toEqual(frames.slice(index + 1));
    }
  });

  it('[runs.stream.replay.start] [fault.F29] -1, no id and an unknown id mean from the start; a bare n the whole event', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    for (const headers of [{}, { 'last-event-id': '-1' }, { 'last-event-id': 'x y' }]) {
      expect(await allFrames(await client.get(path, headers))).toEqual(frames);
    }
    const afterFour = frames.filter(({ id }) => Number(id.split('-')[0]) > 4);
    expect(await allFrames(await client.get(path, { 'last-event-id': '4' }))).toEqual(afterFour);
  });

  it('[runs.stream.replay.start] an id that the run never reached means from the start', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'), answer.text('Hello again'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    for (const id of ['999', '999-0', '999999999999999-1']) {
      expect(await allFrames(await client.get(path, { 'last-event-id': id }))).toEqual(frames);
    }
    // An id of another run means nothing for the run that the client creates.
    const created = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('again', { stream_mode: MODES }),
      { 'last-event-id': '3-0' },
    );
    expect((await allFrames(created)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['metadata', 'updates', 'end']),
    );
  });

  it('[runs.stream.replay.live] in mid-run loses nothing and sees nothing twice', async () => {
    const client = await test.user();
    const { path, frames, said } = await comingBack(client, MODES, 'messages');
    expect(frames).toEqual(await allFrames(await client.get(path)));
    expect(said.join('')).toBe(WORDS.join(''));
  });

  it('[runs.stream.replay.live] in mid-run continues with the message as it has grown', async () => {
    const client = await test.user();
    const { frames, said } = await comingBack(client, ['messages'], 'messages/partial');
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
    expect(said).toEqual(said.map((text) => WORDS.join('').slice(0, text.length)));
    expect(said.at(-1)).toBe(WORDS.join(''));
  });

  it('[runs.stream.replay.modes] may request other modes and continues after the event', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: ['messages-tuple'] }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream?stream_mode=values`;
    const values = dataOf<Values>(await allFrames(await client.get(path)), 'values');
    expect(values.at(-1)?.messages.at(-1)?.content).toBe('Hello');
    const json = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream?stream_mode=["values","updates"]`;
    expect(new Set((await allFrames(await client.get(json))).map(({ event }) => event))).toContain('updates');
    expect((await client.get(path.replace('=values', '=tools'))).status).toBe(422);
  });

  it('[runs.owner] [fault.F29] to a run of another user, or an unknown one, gets the same 404', async () => {
    const client = await test.user();
    const stranger = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi'));
    const foreign = await stranger.get(`/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`);
    const absent = await stranger.get('/api/graph/threads/nothing/runs/nothing/stream');
    expect([foreign.status, await foreign.text()]).toEqual([absent.status, await absent.text()]);
    expect(foreign.status).toBe(404);
    const ownThread = await newThread(stranger);
    expect((await stranger.get(`/api/graph/threads/${ownThread}/runs/${runOf(frames)}/stream`)).status).toBe(
      404,
    );
  });
});
