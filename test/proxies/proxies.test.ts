// The reverse proxies of the README, with real ones between the client and the service.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { socketPeerAddress } from '../../src/http/middleware/client.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, question, TEST_PASSWORD } from '../support/service.ts';
import { sendFiles, type UploadJson } from '../support/upload.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { connect, type SocketFrame } from '../websocket/socket-client.ts';
import { connectionTo, publicOrigin, throughProxy } from './https-client.ts';
import { isInstalled, type ProxyName, type StartedProxy, startProxy } from './started-proxy.ts';

const NAMES: readonly ProxyName[] = ['nginx', 'caddy', 'haproxy'];
const MB = 1_048_576;
const LARGE_FILE = Buffer.alloc(40 * MB, 'a part of a large file, ');
/** Two heartbeats are 10 s without a word, and the proxies of the test wait for 8. */
const HEARTBEATS = 2;

let service: ServedService;
/** What the model waits for in the middle of its answer, by the question. */
const silences = new Map<string, PromiseWithResolvers<void>>();

beforeAll(async () => {
  service = await openServedService({
    config: { auth: { ...CHEAP_ACCOUNTS, trusted_proxies: ['127.0.0.1'] } },
    overrides: { peerAddress: socketPeerAddress },
  });
  service.model.onRequest(({ lastUserText }) => {
    const silence = silences.get(lastUserText);
    if (silence === undefined) return answer.text('hello');
    return answer.script(step.text('before '), step.until(silence.promise), step.text('after'));
  });
});
afterAll(() => service?.close());

const CHEAP_ACCOUNTS = {
  password_hash: { memory_kib: 8, iterations: 1, parallelism: 1 },
  lockout: { failures: 3 },
};

function silenceAfter(words: string): PromiseWithResolvers<void> {
  const silence = Promise.withResolvers<void>();
  silences.set(words, silence);
  return silence;
}

describe.concurrent.each(NAMES.map((name, index) => ({ name, index })))('$name', ({ name, index }) => {
  let proxy: StartedProxy;
  let ann: HttpClient;
  const account = { email: `ann-${name}@example.com`, password: TEST_PASSWORD };

  describe.skipIf(!isInstalled(name))(
    `with the block of the README (skipped where there is no ${name})`,
    () => {
      beforeAll(async () => {
        proxy = await startProxy(name, Number(new URL(service.server.url).port));
        const client = createHttpClient(throughProxy(proxy));
        await vi
          .waitFor(() => client.get('/health/live'), { timeout: 20_000, interval: 100 })
          .catch((error) => {
            throw new Error(`${name} does not answer. It said:\n${proxy.output()}`, { cause: error });
          });
        ann = client;
        expect((await ann.register(account)).status).toBe(201);
      });
      afterAll(() => proxy?.stop());

      // They wait longest, so they begin first.
      it('[proxies.silence] a stream outlasts a silence that is longer than the timeouts', async () => {
        const words = `be silent in a stream of ${name}`;
        const silence = silenceAfter(words);
        const threadId = await newThread(ann);
        const stream = await ann.post(`/api/graph/threads/${threadId}/runs/stream`, question(words));
        expect(stream.status).toBe(200);
        let text = '';
        let heartbeats = 0;
        const decoder = new TextDecoder();
        for await (const chunk of stream.body ?? []) {
          const piece = decoder.decode(chunk, { stream: true });
          text += piece;
          heartbeats += piece.split(/^:/m).length - 1;
          if (heartbeats >= HEARTBEATS) silence.resolve();
        }
        expect(text).toContain('before after');
        expect(text).toContain('event: end');
      });

      it('[proxies.websocket] a WebSocket opens, and outlasts the same silence', async () => {
        const words = `be silent in a socket of ${name}`;
        const silence = silenceAfter(words);
        const threadId = await newThread(ann);
        const socket = await connect({
          url: `${publicOrigin(proxy)}/api/graph/threads/${threadId}/runs/stream`,
          client: ann,
          options: connectionTo(proxy),
        });
        let pings = 0;
        socket.socket.on('ping', () => {
          pings++;
          if (pings >= HEARTBEATS) silence.resolve();
        });
        socket.send({ ...question(words), csrf_token: ann.cookies.get('csrf_token') });
        await socket.until<SocketFrame>(({ event }) => event === 'end');
        expect(JSON.stringify(socket.received)).toContain('before after');
        socket.socket.terminate();
      });

      it('[proxies.sign_in] a page signs in by https, on a port of its own, with cookies for https alone', async () => {
        const client = createHttpClient(throughProxy(proxy));
        const signedIn = await client.signIn(account);
        expect(signedIn.status).toBe(200);
        const cookies = signedIn.headers.getSetCookie();
        expect(cookies.map((cookie) => cookie.split('=', 1)[0])).toContain('__Host-access_token');
        for (const cookie of cookies) expect(cookie).toMatch(/; Secure(;|$)/);
        expect(signedIn.headers.get('strict-transport-security')).toContain('max-age=');
        expect((await client.get('/api/v1/auth/me')).status).toBe(200);
      });

      it('[proxies.addresses] people have limits of their own, whatever address they claim', async () => {
        const from = (last: number) =>
          createHttpClient(throughProxy({ ...proxy, localAddress: `127.0.${index + 1}.${last}` }));
        const wrong = { email: `nobody-${name}@example.com`, password: 'not the password' };
        const statuses: number[] = [];
        for (const claimed of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
          const guesser = createHttpClient(throughProxy({ ...proxy, localAddress: `127.0.${index + 1}.1` }), {
            'x-real-ip': claimed,
            'x-forwarded-for': claimed,
          });
          statuses.push((await guesser.signIn(wrong)).status);
        }
        expect(statuses).toEqual([401, 401, 401, 429]);
        expect((await from(1).signIn(account)).status).toBe(429);
        expect((await from(2).signIn(account)).status).toBe(200);
      });

      it('[proxies.files] 40 MB arrive, and a range of them comes back', async () => {
        const threadId = await newThread(ann);
        const content = LARGE_FILE;
        const sent = await sendFiles(ann, threadId, [{ name: 'large.bin', content }]);
        expect(sent.status).toBe(200);
        const { files } = await jsonOf<{ files: UploadJson[] }>(Promise.resolve(sent));
        expect(files[0]?.size).toBe(content.length);
        const part = await ann.get(files[0]?.artifact_url ?? '', {
          range: `bytes=${20 * MB}-${20 * MB + 99}`,
        });
        expect(part.status).toBe(206);
        expect(part.headers.get('content-range')).toBe(`bytes ${20 * MB}-${20 * MB + 99}/${content.length}`);
        expect(await part.text()).toBe(content.toString('latin1', 20 * MB, 20 * MB + 100));
      });

      it('[proxies.files] what is refused before it was read is answered', async () => {
        const stranger = createHttpClient(throughProxy(proxy));
        const threadId = await newThread(ann);
        const content = LARGE_FILE;
        // Caddy closes half a second after its answer: a client that is too busy to read it until then hears of a reset.
        const answer = await vi.waitFor(
          () => sendFiles(stranger, threadId, [{ name: 'large.bin', content }]),
          { timeout: 60_000 },
        );
        expect(answer.status).toBe(401);
      });
    },
  );
});
