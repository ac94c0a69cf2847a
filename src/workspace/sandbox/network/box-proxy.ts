// The network of one command's box: a proxy that reaches the public internet and nothing else.
import {
  createServer,
  type Server as HttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isOneOf, pinned } from '../../../network/checked-host.ts';
import {
  type Destination,
  destinationOf,
  endToEndHeaders,
  judge,
  type NetworkRules,
  requestUrl,
  type Target,
  tunnelDestination,
} from './proxy-target.ts';

interface ProxyParts {
  readonly rules: NetworkRules;
  /** In both directions, for all connections together. */
  readonly bytes: number;
  readonly times?: ProxyTimes;
}

/** In milliseconds. */
interface ProxyTimes {
  /** How long a request may take to send its head. */
  readonly head: number;
  readonly connect: number;
  /** Without a byte in either direction. */
  readonly idle: number;
  /** Between two requests of one command, so that a loop of them does not occupy the service. */
  readonly pace: number;
}

const MAX_CONNECTIONS = 64;
const MAX_HEAD_BYTES = 16_384;
const TIMES: ProxyTimes = { head: 30_000, connect: 15_000, idle: 300_000, pace: 5 };

const NO_DESTINATION =
  'This proxy accepts CONNECT with a host and a port, and full http addresses without a password.';
const USED_UP = 'This command has sent and received as much as sandbox.network_mb allows.';

export class BoxProxy {
  readonly #rules: NetworkRules;
  readonly #times: ProxyTimes;
  readonly #server: HttpServer;
  readonly #open = new Set<Duplex>();
  #left: number;
  #nextAt = 0;
  #isClosed = false;

  constructor({ rules, bytes, times = TIMES }: ProxyParts) {
    this.#rules = rules;
    this.#times = times;
    this.#left = bytes;
    this.#server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: times.head,
      connectionsCheckingInterval: times.head,
      requestTimeout: 0,
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    // One request per connection, because many requests sent together would be served together.
    this.#server.maxRequestsPerSocket = 1;
    this.#server.on('connection', (socket: Socket) => this.#keep(socket, times.idle));
    this.#server.on('request', (request, response) => {
      this.#forward(request, response).catch(() => response.destroy());
    });
    this.#server.on('connect', (request, client, head) => {
      this.#tunnel(request, client, head).catch(() => client.destroy());
    });
    this.#server.on('clientError', (_error, client) => client.destroy());
    this.#server.on('error', () => {});
  }

  /** Takes over a socket that listens in the box. */
  listen(listening: Server): void {
    if (this.#isClosed) listening.close();
    else this.#server.listen(listening);
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true;
    this.#server.close();
    for (const stream of this.#open) stream.destroy();
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const target = await this.#admitted(tunnelDestination(request.url ?? ''));
    if (client.destroyed) return;
    if (target.kind === 'refused') {
      client.end(rawResponse('403 Forbidden', target.reason));
      return;
    }
    const { host, port, addresses } = target;
    const upstream = connect({ host, port, lookup: pinned(addresses), allowHalfOpen: true, noDelay: true });
    this.#keep(upstream, this.#times.connect);
    client.once('close', () => upstream.destroy());
    const unreached = (): unknown =>
      client.end(rawResponse('502 Bad Gateway', `${host} could not be reached.`));
    upstream.once('close', unreached);
    const join = (): void => {
      if (!isOneOf(addresses, upstream.remoteAddress)) {
        upstream.destroy();
        return;
      }
      upstream.off('close', unreached);
      upstream.setTimeout(this.#times.idle);
      // A connection that was cut off must not look as if it had ended in order.
      upstream.once('close', () => upstream.readableEnded || client.destroy());
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      this.#count(head.length);
      upstream.write(head);
      this.#countOn(client);
      this.#countOn(upstream);
      client.pipe(upstream);
      upstream.pipe(client);
    };
    upstream.once('connect', () => orDestroy(client, join));
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request.url ?? '');
    const target = await this.#admitted(url === undefined ? undefined : destinationOf(url));
    if (response.destroyed) return;
    if (target.kind === 'refused' || url === undefined) {
      respond(response, 403, target.kind === 'refused' ? target.reason : NO_DESTINATION);
      return;
    }
    const { host, port, addresses } = target;
    const upstream = httpRequest({
      host,
      port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: ['host', url.host, ...endToEndHeaders(request.rawHeaders, 'request')],
      lookup: pinned(addresses),
      agent: false,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    this.#count(request.rawHeaders.join('').length);
    upstream.once('socket', (socket) => {
      this.#keep(socket, this.#times.connect);
      const check = (): void => {
        socket.setTimeout(this.#times.idle);
        if (!isOneOf(addresses, socket.remoteAddress)) socket.destroy();
      };
      socket.once('connect', () => orDestroy(socket, check));
    });
    const unreached = (): void => {
      if (response.headersSent) response.destroy();
      else respond(response, 502, `${host} could not be reached.`);
    };
    upstream.on('error', () => orDestroy(response, unreached));
    upstream.once('response', (incoming) =>
      orDestroy(response, () => this.#giveBack(incoming, response, host)),
    );
    // Node emits nothing else for a response that switches the connection to another protocol.
    upstream.once('close', () => response.headersSent || orDestroy(response, unreached));
    response.once('close', () => upstream.destroy());
    this.#countOn(request);
    request.on('error', () => upstream.destroy());
    request.pipe(upstream);
  }

  /** May throw, because Node's parser accepts what Node refuses to send. */
  #giveBack(incoming: IncomingMessage, response: ServerResponse, host: string): void {
    const status = incoming.statusCode ?? 0;
    if (status < 200 || status > 599) {
      incoming.destroy();
      respond(response, 502, `${host} answered with a status that is none of HTTP.`);
      return;
    }
    const headers = [...endToEndHeaders(incoming.rawHeaders, 'response'), 'connection', 'close'];
    this.#count(incoming.rawHeaders.join('').length);
    this.#countOn(incoming);
    // Sends Node's own phrase, because the received one may contain anything.
    response.writeHead(status, headers);
    pipeline(incoming, response, (error) => error && response.destroy());
  }

  /** Waits for the turn of the request, then checks it. */
  async #admitted(destination: Destination | undefined): Promise<Target> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#times.pace;
    if (at > now) await pause(at - now);
    if (destination === undefined) return { kind: 'refused', reason: NO_DESTINATION };
    if (this.#left <= 0) return { kind: 'refused', reason: USED_UP };
    const target = await judge(destination, this.#rules);
    return this.#isClosed ? { kind: 'refused', reason: 'The command has ended.' } : target;
  }

  #keep(socket: Socket, idleMs: number): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    socket.on('error', () => {});
    socket.setTimeout(idleMs, () => socket.destroy());
  }

  #countOn(stream: Duplex | IncomingMessage): void {
    stream.on('data', (piece: Buffer) => this.#count(piece.length));
  }

  #count(bytes: number): void {
    this.#left -= bytes;
    if (this.#left > 0) return;
    for (const stream of this.#open) stream.destroy();
  }
}

/**
 * Runs the work of an event handler, outside of any promise. A throw ends one connection, not the service.
 */
function orDestroy(stream: Duplex | ServerResponse, act: () => void): void {
  try {
    act();
  } catch {
    stream.destroy();
  }
}

function respond(response: ServerResponse, status: number, sentence: string): void {
  const body = Buffer.from(`${sentence}\n`);
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
  });
  response.end(body);
}

function rawResponse(status: string, sentence: string): string {
  const length = Buffer.byteLength(sentence) + 1;
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${sentence}\n`;
}
