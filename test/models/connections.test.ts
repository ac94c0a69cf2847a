// The connections to a provider: reused, closed by the provider, compressed, redirected, and slow readers.
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ArrivedBytes } from '../../src/models/calls/byte-source.ts';
import { createAgents, exchange } from '../../src/models/calls/http-exchange.ts';
import { SELF_SIGNED } from '../support/certificate.ts';
import { answer } from '../support/model-server/answer.ts';
import { bytesOf, type Step, step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { modelError, outcomeOf, retriesOf, testModel } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

async function listening(it: Server): Promise<string> {
  it.listen(0, '127.0.0.1');
  await once(it, 'listening');
  onTestFinished(() => void it.close());
  return `http://127.0.0.1:${(it.address() as AddressInfo).port}/v1`;
}

function streamOf(...steps: readonly Step[]): string {
  return steps.map((it) => String(bytesOf(it, 'm'))).join('');
}

const WHOLE = streamOf(step.text('hello'), step.finish(), step.done());

function responseOf(body: string): string {
  const head = ['HTTP/1.1 200 OK', 'content-type: text/event-stream', `content-length: ${body.length}`];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Starts a server that handles every request on every connection, both counted from 1. */
function rawServer(asked: (socket: Socket, connection: number, request: number) => void): Server {
  let connections = 0;
  return createServer((socket) => {
    const connection = ++connections;
    let requests = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => asked(socket, connection, ++requests));
  });
}

describe('reused connections', () => {
  it('[models.connection.kept] the next call uses the same connection', async () => {
    const seen: string[] = [];
    const url = await listening(
      rawServer((socket, connection, request) => {
        seen.push(`${connection}.${request}`);
        socket.write(responseOf(WHOLE));
      }),
    );
    const model = testModel({ base_url: url });
    for (let call = 0; call < 3; call += 1) expect((await outcomeOf(model)).text).toBe('hello');
    expect(seen).toEqual(['1.1', '1.2', '1.3']);
  });

  it('[models.connection.stale] one that was silently reset is replaced without an error', async () => {
    const seen: string[] = [];
    const url = await listening(
      rawServer((socket, connection, request) => {
        seen.push(`${connection}.${request}`);
        if (request > 1) socket.resetAndDestroy();
        else socket.write(responseOf(WHOLE));
      }),
    );
    const model = testModel({ base_url: url });
    await outcomeOf(model);
    const second = await outcomeOf(model);
    expect(second.text).toBe('hello');
    expect(retriesOf(second)).toEqual([]);
    expect(seen).toEqual(['1.1', '1.2', '2.1']);
  });

  it('[models.connection.stale] one that breaks after its response began is a failure like any other', async () => {
    const seen: string[] = [];
    const url = await listening(
      rawServer((socket, connection, request) => {
        seen.push(`${connection}.${request}`);
        if (connection > 1 || request === 1) socket.write(responseOf(WHOLE));
        else socket.write('HTTP/1.1 200 OK\r\ncontent-ty', () => socket.destroySoon());
      }),
    );
    const model = testModel({ base_url: url });
    await outcomeOf(model);
    const second = await outcomeOf(model);
    expect(retriesOf(second)).toHaveLength(1);
    expect(second.text).toBe('hello');
    expect(seen).toEqual(['1.1', '1.2', '2.1']);
  });

  it('[models.error.broken-stream] a reset is no end, although the end of the connection would be one', async () => {
    const gate = Promise.withResolvers<void>();
    const url = await listening(
      rawServer((socket) => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${streamOf(step.text('half'))}`,
        );
        gate.promise.then(() => socket.resetAndDestroy());
      }),
    );
    const outcome = await outcomeOf(testModel({ base_url: url }), {}, () => gate.resolve());
    expect(outcome.text).toBe('half');
    expect(modelError(outcome)).toMatchObject({ kind: 'broken_stream', cause: { code: 'ECONNRESET' } });
  });
});

describe('compressed responses', () => {
  const gzipped =
    (gate: Promise<void>): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const zip = createGzip();
      zip.pipe(response);
      zip.write(streamOf(step.text('one')));
      zip.flush(() => gate.then(() => zip.end(streamOf(step.text(' two'), step.finish(), step.done()))));
    };

  it.each(['openai', 'openai-compatible'] as const)(
    '[models.connection.compressed] %s: text is read before the response is complete',
    async (provider) => {
      const gate = Promise.withResolvers<void>();
      const base_url = await listening(createHttpServer(gzipped(gate.promise)));
      // The second word is sent only after the first one was read.
      const outcome = await outcomeOf(testModel({ provider, base_url }), {}, () => gate.resolve());
      expect(outcome.error).toBeUndefined();
      expect(outcome.text).toBe('one two');
    },
  );

  it('[models.connection.compressed] a body without the declared compression is a broken response', async () => {
    const base_url = await listening(
      createHttpServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
        response.end(WHOLE);
      }),
    );
    const outcome = await outcomeOf(testModel({ base_url }));
    expect(modelError(outcome).message).toContain('broke');
  });

  it('[models.connection.compressed] no request offers to accept it', async () => {
    server.enqueue(answer.text('plain'));
    await outcomeOf(testModel({ base_url: server.url, headers: { 'accept-encoding': 'gzip' } }));
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('redirects', () => {
  it.each([307, 308])('[models.connection.redirect] %i within the origin is followed', async (status) => {
    server.enqueue(answer.status(status, '', { location: '/v2/chat' }), answer.text('moved'));
    const outcome = await outcomeOf(testModel({ base_url: server.url }));
    expect(outcome.text).toBe('moved');
    const [first, second] = server.requests;
    expect(second?.path).toBe('/v2/chat');
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers.authorization).toBe('Bearer sk-test-canary-key');
  });

  it.each([307, 302])(
    '[models.connection.redirect] %i to another origin is refused, key and all',
    async (status) => {
      const other = await startModelServer();
      onTestFinished(() => other.close());
      server.enqueue(answer.status(status, '', { location: `${other.url}/chat/completions` }));
      const outcome = await outcomeOf(testModel({ base_url: server.url }));
      expect(modelError(outcome)).toMatchObject({ kind: 'model_error', cause: { code: 'EREDIRECT' } });
      expect(modelError(outcome).message).toContain('sends requests on to another one');
      expect(JSON.stringify(modelError(outcome).cause)).not.toMatch(/canary|http:/);
      expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
    },
  );

  it.each([301, 302, 303])('[models.connection.redirect] %i would lose the request', async (status) => {
    server.enqueue(answer.status(status, '', { location: '/v2/chat' }));
    const outcome = await outcomeOf(testModel({ base_url: server.url }));
    expect(modelError(outcome).message).toContain('sends requests on');
    expect(server.requests).toHaveLength(1);
  });

  it('[models.connection.redirect] a redirect loop is stopped', async () => {
    server.onRequest(() => answer.status(307, '', { location: '/again' }));
    const outcome = await outcomeOf(testModel({ base_url: server.url }));
    expect(modelError(outcome).message).toContain('sends requests on');
    expect(server.requests).toHaveLength(4);
  });
});

describe('addresses', () => {
  it.each(['localhost', '[::1]'])('[models.request] %s', async (host) => {
    const own = await startModelServer({ host: host === 'localhost' ? host : '::1' });
    onTestFinished(() => own.close());
    own.enqueue(answer.text('here'));
    const port = /:(\d+)\/v1$/.exec(own.url)?.[1];
    const outcome = await outcomeOf(testModel({ base_url: `http://${host}:${port}/v1` }));
    expect(outcome.text).toBe('here');
    expect(own.requests[0]?.headers.host).toBe(`${host}:${port}`);
  });
});

describe('pressure', () => {
  it('[models.connection.pressure] bytes wait at the connection, and none are lost', async () => {
    const piece = Buffer.alloc(16_384, 'x');
    let left = 64;
    const stream = new Readable({
      highWaterMark: piece.length,
      read() {
        left -= 1;
        setImmediate(() => this.push(left < 0 ? null : piece));
      },
    });
    const bytes = new ArrivedBytes(stream);
    await once(stream, 'pause');
    let total = 0;
    for (let read = await bytes.read(); read !== undefined; read = await bytes.read()) {
      expect(read.length).toBeLessThanOrEqual(65_536);
      total += read.length;
    }
    expect(total).toBe(64 * piece.length);
  });

  for (const protocol of ['http', 'https'] as const)
    it(`[models.connection.pressure] a held response over ${protocol} is not read until it is asked for`, async () => {
      const { responses, ask, sockets } = await heldServer(protocol);
      const [first, other] = [await ask(), await ask()];
      const [socket] = sockets();
      const [response, otherResponse] = responses;
      expect(String(await first.read())).toBe('begun');
      first.hold();
      expect(String(await other.read())).toBe('begun');
      const before = socket?.bytesRead;
      // By the time that later pieces of another connection arrive, these would have been read.
      const write = async (...pieces: readonly string[]) => {
        for (const piece of pieces) await new Promise((written) => response?.write(piece, written));
        for (const piece of ['later', 'last']) {
          otherResponse?.write(piece);
          expect(String(await other.read())).toBe(piece);
        }
      };
      await write('one ', 'two ', 'three');
      expect(socket?.bytesRead).toBe(before);
      expect(String(await first.read())).toBe('one two three');
      await write('before the hold, ');
      first.hold();
      await write('and after');
      expect(String(await first.read())).toBe('before the hold, and after');
      response?.end('end');
      expect(String(await first.read())).toBe('end');
      expect(await first.read()).toBeUndefined();
      first.hold();
      // The connection serves the next request, whatever became of the one before.
      expect(String(await (await ask()).read())).toBe('begun');
      expect(sockets()).toHaveLength(2);
    });
});

/** Starts a server that begins each response, and leaves the rest to the test. */
async function heldServer(protocol: 'http' | 'https') {
  const responses: ServerResponse[] = [];
  const begin: RequestListener = (_request, response) => {
    responses.push(response);
    response.write('begun');
  };
  const own = protocol === 'http' ? createHttpServer(begin) : createHttpsServer(SELF_SIGNED, begin);
  const plain = await listening(own);
  onTestFinished(() => own.closeAllConnections());
  const url = new URL(plain.replace('http', protocol));
  const agents = createAgents({ keepAlive: true });
  agents.https.options.ca = SELF_SIGNED.cert;
  const order = { url, headers: {}, body: '{}', signal: undefined, agents, onConnected: undefined };
  return {
    responses,
    ask: async () => {
      const { bytes } = await exchange(order);
      if (bytes === undefined) throw new Error('The response has no body.');
      return bytes;
    },
    sockets: () => Object.values(agents[protocol].sockets).flatMap((all) => all ?? []),
  };
}
