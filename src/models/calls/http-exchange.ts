// One request to a provider over Node's own HTTP client, and the beginning of its answer.
import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { globalAgent, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { decompressed } from '../../network/decompressed.ts';
import { ArrivedBytes, type ByteSource } from './byte-source.ts';

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Made when they are asked for: most answers are read without them. */
  readonly headers: () => Headers;
  /** `undefined` when there is no body. */
  readonly bytes: ByteSource | undefined;
}

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** A text, or the pieces of one. */
type RequestBody = string | readonly Uint8Array[];

export interface Order {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly signal: AbortSignal | undefined;
  readonly agents: Agents;
  /** The provider has taken the connection; its answer may take its time. May be called more than once. */
  readonly onConnected: (() => void) | undefined;
}

// Whether a proxy of the environment is used is Node's own switch, and the same for all requests of the process.
export function createAgents(options: AgentOptions): Agents {
  const all = { ...options, proxyEnv: globalAgent.options.proxyEnv };
  return { http: new HttpAgent(all), https: new HttpsAgent(all) };
}

/** What `fetch` throws when there is no answer. */
export function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause });
}

/** One request, or two when the first went to a connection that the provider had closed meanwhile. */
export function exchange(order: Order): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { signal } = order;
  const request = requestOf(order);
  // Until the response begins: the request may be megabytes and is not needed again.
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

/** Over a connection that nobody has used before. */
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
  // Of a connection that is older than the request, or that a proxy has opened, nothing but this is heard.
  request.once('finish', onConnected);
}

/** Tells whether an error only says that a kept connection was closed before it was used again. */
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

/** A response that has no body by its status. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage, bytes: ByteSource): HttpResponse {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = () => headersOf(rawHeaders);
  return { status, statusText, headers, bytes: BODILESS.has(status) ? undefined : bytes };
}

/** Of names and values by turns. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? '', raw[index + 1] ?? '');
  return headers;
}
