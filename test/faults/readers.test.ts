// Readers that disconnect after every frame, and readers that hardly read (fault.F28, F30, F31).
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { listen } from '../../src/http/transport/server.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf, framesOf, type TestFrame } from '../support/sse.ts';

const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
const DAY = 86_400_000;

let test: TestService;
afterEach(() => test.close());

it('[fault.F28] a reader that disconnects after every frame, live, sees each frame once, and the run continues', async () => {
  test = await openTestService();
  const client = await test.user();
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs`;
  const words = Array.from({ length: 20 }, (_, index) => [step.text(`word ${index} `), step.pause(5)]).flat();
  test.model.enqueue(answer.toolCalls([look]), answer.script(...words, step.finish(), step.done()));
  const body = question('hi', { stream_mode: MODES });
  const { run_id: runId } = await jsonOf<RunJson>(client.post(path, body));
  const frames: TestFrame[] = [];
  while (frames.at(-1)?.event !== 'end') {
    const headers = frames.length === 0 ? {} : { 'last-event-id': frames.at(-1)?.id ?? '' };
    const response = await client.get(`${path}/${runId}/stream`, headers);
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      break;
    }
  }
  expect(frames).toEqual(await allFrames(await client.get(`${path}/${runId}/stream`)));
  expect(await jsonOf<RunJson>(client.get(`${path}/${runId}`))).toMatchObject({ status: 'success' });
});

it('[fault.F30] 30 days after its end a run is shown to its end, and a reader that has seen the end learns that there is no more', async () => {
  let offset = 0;
  test = await openTestService({ overrides: { now: () => Date.now() + offset } });
  test.model.onRequest(() => answer.text('Hello'));
  const frames = await streamed(
    await test.user('ada'),
    await newThread(await test.user('ada')),
    question('hi', { stream_mode: MODES }),
  );
  const [{ thread_id, run_id } = { thread_id: '', run_id: '' }] = dataOf<RunJson>(frames, 'metadata');
  offset = 30 * DAY;
  const client = await test.user('ada');
  const path = `/api/graph/threads/${thread_id}/runs/${run_id}/stream`;
  expect(await allFrames(await client.get(path))).toEqual(frames);
  const atEnd = { 'last-event-id': frames.at(-1)?.id ?? '' };
  const again = await client.get(path, atEnd);
  expect([again.status, await allFrames(again)]).toEqual([200, []]);
  // An EventSource reconnects without limit, unless the server stops it.
  const accept = { accept: 'text/event-stream' };
  const stopped = await client.get(path, { ...atEnd, ...accept });
  expect([stopped.status, await stopped.text()]).toEqual([204, '']);
  for (const seen of [frames.at(-2)?.id ?? '', '-1', '999999-0', 'garbage']) {
    const rest = await allFrames(await client.get(path, { 'last-event-id': seen, ...accept }));
    expect(rest.at(-1), seen).toEqual(frames.at(-1));
  }
  expect(await allFrames(await client.get(path, accept))).toEqual(frames);
});

it('[fault.F31] a reader that does not read holds at most 64 KB, and its neighbours get everything', async () => {
  test = await openTestService();
  const client = await test.user();
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs`;
  const server = await listen(test.service.app, httpOptionsSchema.parse({ port: 0 }));
  let slow: ServerResponse | undefined;
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.includes('/stream') === true) slow = response;
  };
  subscribe('http.server.request.start', onRequest);
  const begun = Promise.withResolvers<void>();
  const words = Array.from({ length: 4_000 }, () => step.text('x'.repeat(2_000)));
  test.model.enqueue(answer.script(step.until(begun.promise), ...words, step.finish(), step.done()));
  const { run_id: runId } = await jsonOf<RunJson>(
    client.post(path, question('hi', { stream_mode: ['messages-tuple'] })),
  );
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
  socket.pause();
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  socket.write(`GET ${path}/${runId}/stream HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
  await expect.poll(() => slow).toBeDefined();
  begun.resolve();
  const neighbour = await allFrames(await client.get(`${path}/${runId}/stream`));
  expect(neighbour.filter(({ event }) => event === 'messages').length).toBeGreaterThan(1_000);
  // The kernels' buffers are full, so all further frames would have to be buffered here.
  await expect.poll(() => slow?.writableNeedDrain).toBe(true);
  expect(slow?.writableLength).toBeLessThanOrEqual(65_536);
  unsubscribe('http.server.request.start', onRequest);
  socket.destroy();
  server.closeNow();
  await server.close();
});
