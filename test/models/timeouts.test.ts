// The three timeouts and the abort of a call, against a real HTTP server.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { bytesOf, step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { modelError, outcomeOf, request, retriesOf, testModel } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const PATIENT = { connect: 60, first_token: 60, silence: 60 };
/** Seconds, for events that never come. */
const SOON = 0.2;

describe.each(['openai', 'openai-compatible'] as const)('%s', (provider) => {
  const model = (timeouts = PATIENT) => testModel({ provider, base_url: server.url, timeouts });

  describe('timeouts', () => {
    it('[models.timeout.connect] [fault.F49] no connection in time', async () => {
      // Accepts TCP connections and never sends anything, so that no https connection is established.
      const silent = createServer((socket) => socket.resume());
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const timeouts = { ...PATIENT, connect: SOON };
      const outcome = await outcomeOf(
        testModel({ provider, base_url: `https://127.0.0.1:${port}`, timeouts }),
      );
      silent.close();
      expect(modelError(outcome)).toMatchObject({ kind: 'timeout' });
      expect(modelError(outcome).message).toContain('took no connection within 0.2 seconds');
    });

    it('[models.timeout.connect] late headers are no late connection', async () => {
      const timeouts = { ...PATIENT, connect: 1 };
      const gate = Promise.withResolvers<void>();
      server.onRequest(async () => {
        await gate.promise;
        return answer.text('at last');
      });
      const outcome = outcomeOf(model(timeouts));
      await server.requested(1);
      // The server is slow: it takes longer than a connection may.
      setTimeout(gate.resolve, 1_400);
      expect((await outcome).text).toBe('at last');
    });

    it('[models.timeout.first-token] [fault.F49] no headers in time', async () => {
      server.enqueue(answer.hangBeforeHeaders());
      const outcome = await outcomeOf(model({ ...PATIENT, first_token: SOON }));
      expect(modelError(outcome)).toMatchObject({ kind: 'timeout' });
      expect(modelError(outcome).message).toContain('did not begin its answer within 0.2 seconds');
      expect(await server.requests[0]?.ended).toBe('client_left');
    });

    it('[models.timeout.first-token] [fault.F49] headers, and then nothing', async () => {
      server.enqueue(answer.hangAfterHeaders());
      const outcome = await outcomeOf(model({ ...PATIENT, first_token: SOON }));
      expect(modelError(outcome).kind).toBe('timeout');
      expect(modelError(outcome).message).toContain('did not begin its answer within 0.2 seconds');
      expect(await server.requests[0]?.ended).toBe('client_left');
    });

    it('[models.timeout.silence] [fault.F49] a reply that falls silent keeps its text', async () => {
      server.enqueue(answer.hangMidStream('so far'));
      const outcome = await outcomeOf(model({ ...PATIENT, silence: 1 }));
      expect(outcome.text).toBe('so far');
      expect(modelError(outcome).kind).toBe('timeout');
      expect(modelError(outcome).message).toContain('fell silent for 1 second');
      expect(await server.requests[0]?.ended).toBe('client_left');
    });

    it('[models.timeout.silence] a slow reader does not count as silence of the provider', async () => {
      const gate = Promise.withResolvers<void>();
      server.enqueue(answer.script(step.text('a'), step.until(gate.promise), step.text('b'), step.finish()));
      let text = '';
      for await (const part of model({ ...PATIENT, silence: 1 }).stream(request())) {
        if (part.type === 'text_delta') text += part.text;
        // The reader is slow: it pauses longer than the provider may.
        if (text === 'a') await new Promise((resolve) => setTimeout(resolve, 1_500));
        gate.resolve();
      }
      expect(text).toBe('ab');
    });
  });

  describe('aborts', () => {
    const reason = new Error('the person pressed stop');

    it('[models.abort] while waiting for headers', async () => {
      server.enqueue(answer.hangBeforeHeaders());
      const controller = new AbortController();
      const outcome = outcomeOf(model(), { signal: controller.signal });
      await server.requested(1);
      controller.abort(reason);
      expect((await outcome).error).toBe(reason);
      expect(await server.requests[0]?.ended).toBe('client_left');
    });

    it('[models.abort] in the middle of the stream', async () => {
      server.enqueue(answer.hangMidStream('so far'));
      const controller = new AbortController();
      const outcome = await outcomeOf(model(), { signal: controller.signal }, () => controller.abort(reason));
      expect(outcome.error).toBe(reason);
      expect(outcome.text).not.toBe('');
      expect(await server.requests[0]?.ended).toBe('client_left');
    });

    it('[models.abort] while waiting for a retry', async () => {
      server.enqueue(answer.rateLimited('20'));
      const controller = new AbortController();
      const outcome = await outcomeOf(model(), { signal: controller.signal }, () => controller.abort(reason));
      expect(retriesOf(outcome)[0]?.waitMs).toBe(20_000);
      expect(outcome.error).toBe(reason);
      expect(server.requests).toHaveLength(1);
    });

    it('[models.abort] although the underlying connection ignores it', async () => {
      const stubborn = () => {
        const bytes = new TextEncoder().encode(String(bytesOf(step.text('so far'), 'm')));
        const body = new ReadableStream({ start: (stream) => stream.enqueue(bytes) });
        return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
      };
      const controller = new AbortController();
      const deaf = testModel({ provider, base_url: server.url }, { fetch: stubborn });
      const outcome = await outcomeOf(deaf, { signal: controller.signal }, () => controller.abort(reason));
      expect(outcome.error).toBe(reason);
      expect(outcome.text).toBe('so far');
    });

    it('[models.abort] before the request was sent', async () => {
      const outcome = await outcomeOf(model(), { signal: AbortSignal.abort(reason) });
      expect(outcome.error).toBe(reason);
      expect(server.requests).toHaveLength(0);
    });

    it('[models.abort] a reader that stops reading ends the request', async () => {
      server.enqueue(answer.hangMidStream('so far'));
      for await (const _ of model().stream(request())) break;
      expect(await server.requests[0]?.ended).toBe('client_left');
    });
  });
});
