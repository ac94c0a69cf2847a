// The scripted model server itself: it sends the scripts, and reports clients that leave.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

function post(text: string, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], stream: true });
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}

it('sends queued replies first, then calls the responder, then reports that nothing was scripted', async () => {
  server.enqueue(answer.text('one two'));
  server.onRequest((request) => answer.text(`you said ${request.lastUserText}`));
  const first = await (await post('x')).text();
  expect(first).toContain('"content":"one"');
  expect(first).toContain('"finish_reason":"stop"');
  expect(first.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await (await post('hello')).text()).toContain('"content":" hello"');
  expect(server.requests.map((request) => request.path)).toEqual([
    '/v1/chat/completions',
    '/v1/chat/completions',
  ]);
  server.reset();
  expect((await post('x')).status).toBe(500);
});

it('waits for gates, and reports that the client left', async () => {
  const gate = Promise.withResolvers<void>();
  server.enqueue(answer.script(step.text('a'), step.until(gate.promise), step.text('b')));
  const response = await post('x');
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('"a"');
  gate.resolve();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('"b"');

  const leaving = new AbortController();
  server.enqueue(answer.hangBeforeHeaders());
  const left = post('y', leaving.signal).catch(() => 'left');
  await server.requested(2);
  leaving.abort();
  expect(await left).toBe('left');
  expect(await server.requests[1]?.ended).toBe('client_left');
});
