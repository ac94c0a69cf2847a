// Opens the port: Node's HTTP server around the application, with limits on slow and oversized requests.
import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Log } from '../../log.ts';
import { capConnections } from './connection-cap.ts';
import { watchHalfOpen } from './half-open-watch.ts';
import type { HttpOptions } from './http-options.ts';
import type { LiveOffer } from './live-body.ts';
import { refusalResponse, respondRaw } from './raw-response.ts';
import { type RequestTarget, ROUTED_HOST, targetOf } from './request-target.ts';
import { asksForWebSocket, attachWebSockets, type RespondingApp } from './websocket.ts';

/** How often a closing server checks for connections that became idle. */
const IDLE_CHECK_MS = 100;

const WRITE_BUFFER_BYTES = 32_768;

/** Half-open connections without traffic are found about ten seconds later. */
const KEEP_ALIVE_DELAY_MS = 60_000;

const NO_PROXY = { ok: false, status: 400, detail: 'This service is no proxy.' } as const;

export interface HttpServer {
  /** The address with the real port. */
  readonly url: string;
  /** Accepts no new connections and resolves when every response, streams included, has ended. */
  close(): Promise<void>;
  /** Ends all open connections. `close` then resolves. */
  closeNow(): void;
}

/** Dependencies that only some servers have. */
export interface ServerParts {
  readonly log: Log;
  /** Whether the peer is a trusted proxy, whose connections are not counted. */
  readonly isTrustedProxy: (address: string | undefined) => boolean;
}

const ALONE: ServerParts = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  isTrustedProxy: () => false,
};

/** Starts the server. Rejects when the port is taken or not permitted. */
export async function listen(
  app: RespondingApp,
  options: HttpOptions,
  { log, isTrustedProxy }: ServerParts = ALONE,
): Promise<HttpServer> {
  const server = createServer(serverOptions(options), requestListener(app, log));
  // The head's size and the refusal of too many headers are the limits. No header is silently dropped.
  server.maxHeadersCount = 0;
  server.setTimeout(options.stall_seconds * 1000);
  capConnections(server, { maxPerAddress: options.max_connections_per_address, isTrustedProxy, log });
  watchHalfOpen(server, { stallMs: options.stall_seconds * 1000 });
  const sockets = attachWebSockets(server, app, { maxMessageBytes: options.max_json_bytes });
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy());
    void respondRaw(socket, refusalResponse(NO_PROXY));
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    url: urlOf(server, options.host),
    close: () => closed(server),
    closeNow: () => {
      sockets.closeAll();
      server.closeAllConnections();
    },
  };
}

function serverOptions(options: HttpOptions): ServerOptions {
  return {
    maxHeaderSize: options.max_header_bytes,
    // Overrides the flags of the process.
    insecureHTTPParser: false,
    requireHostHeader: true,
    headersTimeout: options.header_timeout_seconds * 1000,
    requestTimeout: options.request_timeout_seconds * 1000,
    keepAliveTimeout: options.keep_alive_seconds * 1000,
    // Memory per unread connection: this much, plus the data in transit when it became full.
    highWaterMark: WRITE_BUFFER_BYTES,
    // How often the two timeouts are checked.
    connectionsCheckingInterval: 1000,
    shouldUpgradeCallback: asksForWebSocket,
    // Probes silent connections to find out whether the peer is still there.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
}

/** Refuses ambiguous requests. The adaptor and the application use the result of reading the target here. */
function requestListener(app: RespondingApp, log: Log): RequestListener {
  const targets = new WeakMap<IncomingMessage, RequestTarget>();
  const adapted = getRequestListener((request, { incoming, outgoing }) => {
    // Only HTTP/1.1 is served.
    if (!(outgoing instanceof ServerResponse && incoming instanceof IncomingMessage)) return undefined;
    return respond(app, request, { incoming, outgoing, target: targets.get(incoming) });
  });
  return (incoming, outgoing) => {
    const reading = targetOf(incoming);
    if (!reading.ok) {
      log.info({ status: reading.status }, 'A request was refused: its target or headers are not valid');
      refuse(outgoing, reading);
      return;
    }
    targets.set(incoming, reading.target);
    // The adaptor builds a URL from this header, so it must not be the client's value.
    incoming.headers.host = ROUTED_HOST;
    void adapted(incoming, outgoing);
  };
}

function refuse(outgoing: ServerResponse, reading: Parameters<typeof refusalResponse>[0]): void {
  const { status, headers } = refusalResponse(reading);
  outgoing.writeHead(status, { ...Object.fromEntries(headers), Connection: 'close' });
  outgoing.end(JSON.stringify({ detail: reading.detail }));
}

interface ResponseEnv extends HttpBindings {
  readonly target: RequestTarget | undefined;
}

/** Writes live responses directly to the socket. The adaptor writes all others. */
async function respond(app: RespondingApp, request: Request, env: ResponseEnv): Promise<Response> {
  const { incoming, outgoing } = env;
  const live: LiveOffer = { body: undefined };
  const response = await app.fetch(request, { ...env, live });
  const { body } = live;
  if (body === undefined) return response;
  if (!response.ok || incoming.method === 'HEAD') {
    body.leave();
    return response;
  }
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.flushHeaders();
  forgetRequest(incoming, outgoing);
  body.pourInto(outgoing);
  return RESPONSE_ALREADY_SENT;
}

/** Drops the request's headers and its disconnect listeners, because a reader may stay for a long time. */
function forgetRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.headers = {};
  incoming.rawHeaders = [];
  outgoing.removeAllListeners('close');
}

async function closed(server: Server): Promise<void> {
  // A kept-alive connection would hold the server open after its last response.
  const check = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  try {
    await server[Symbol.asyncDispose]();
  } finally {
    clearInterval(check);
  }
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
