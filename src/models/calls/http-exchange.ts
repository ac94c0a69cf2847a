// One request to a provider over Node's own HTTP client, and the beginning of its response.
import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { globalAgent, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import { decompressed } from '../../network/decompressed.ts';
import { ArrivedBytes, type ByteSource } from './byte-source.ts';

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Made on request, because most responses are read without them. */
  readonly headers: () => Headers;
  /** `undefined` when there is no body. */
  readonly bytes: ByteSource | undefined;
}

export type Agents = ReturnType<typeof createAgents>;

type RequestBody = string | readonly Uint8Array[];

export interface Order {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly signal: AbortSignal | undefined;
  readonly agents: Agents;
  /** Called, perhaps repeatedly, when the provider has accepted the connection and may take its time. */
  readonly onConnected: (() => void) | undefined;
}

/**
 * Reads all connections through one buffer, because Node stops reading such a connection as soon as it is paused
 * (`ByteSource.hold`), and others only after 64 KB. Each piece is copied before the next one is read.
 */
const onread: OnReadOpts = {
  buffer: Buffer.allocUnsafeSlow(65_536),
  callback(this: Socket, length: number, buffer: Uint8Array): boolean {
    return this.push(Buffer.from(buffer.subarray(0, length)));
  },
};

// Node's own setting decides for the whole process whether a proxy of the environment is used.
export function createAgents(options: AgentOptions) {
  const all = { ...options, onread, proxyEnv: globalAgent.options.proxyEnv };
  return { http: new HttpAgent(all), https: new HttpsAgent(all) };
}

/** Returns what `fetch` throws when there is no response. */
export function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause });
}

/** Sends one request, or two when the first went to a connection that the provider had already closed. */
export function exchange(order: Order): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { signal } = order;
  const request = requestOf(order);
  // Cleared when the response begins: the request can be megabytes long and is not needed again.
  let again: (() => Promise<HttpResponse>) | undefined = repetition(order);
  const isStale = staleness(request);
  if (order.onConnected !== undefined) whenConnected(request, order.onConnected);
  let bytes: ArrivedBytes | undefined;
  const fail = (thrown: unknown) => (bytes === undefined ? reject(thrown) : bytes.fail(thrown));
  const stop = () => {
    fail(signal?.reason);
    request.destroy();
  };
  signal?.addEventListener('abort', stop, { once: true });
  request.once('close', () => signal?.removeEventListener('abort', stop));
  request.once('response', (message) => {
    bytes = new ArrivedBytes(decompressed(message));
    again = undefined;
    resolve(responseOf(message, bytes));
  });
  request.on('error', (error) => {
    if (again !== undefined && signal?.aborted !== true && isStale(error)) resolve(again());
    else fail(bytes === undefined ? failed(error) : new TypeError('terminated', { cause: error }));
  });
  send(request, order.body);
  return promise;
}

/** Repeats the request over a new connection. */
function repetition(order: Order): () => Promise<HttpResponse> {
  return () => exchange({ ...order, agents: createAgents({ keepAlive: false }) });
}

function send(request: ClientRequest, body: RequestBody): void {
  if (typeof body === 'string') {
    request.end(body);
    return;
  }
  request.setHeader(
    'content-length',
    body.reduce((sum, { length }) => sum + length, 0),
  );
  request.cork();
  for (const piece of body) request.write(piece);
  request.end();
}

function requestOf({ url, headers, agents }: Order): ClientRequest {
  const isSecure = url.protocol === 'https:';
  return (isSecure ? httpsRequest : httpRequest)({
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: url.pathname + url.search,
    method: 'POST',
    headers,
    agent: isSecure ? agents.https : agents.http,
  });
}

function whenConnected(request: ClientRequest, onConnected: () => void): void {
  request.once('socket', (socket) => {
    if (!request.reusedSocket)
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
  });
  // For a connection that is older than the request, or that a proxy has opened, this is the only signal.
  request.once('finish', onConnected);
}

/** Makes a check whether an error only means that a kept connection was closed before it was reused. */
function staleness(request: ClientRequest): (error: Error) => boolean {
  let read = 0;
  request.once('socket', ({ bytesRead }) => {
    read = bytesRead;
  });
  return (error) => {
    const isReset = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    return request.reusedSocket && isReset && (request.socket?.bytesRead ?? read) === read;
  };
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage, bytes: ByteSource): HttpResponse {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = () => headersOf(rawHeaders);
  return { status, statusText, headers, bytes: BODILESS.has(status) ? undefined : bytes };
}

/** Builds headers from alternating names and values. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? '', raw[index + 1] ?? '');
  return headers;
}
