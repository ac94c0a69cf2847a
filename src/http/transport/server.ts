// Opens the port: Node's HTTP server around the application, with limits on slow and oversized requests.
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Log } from '../../log.ts';
import { capConnections } from './connection-cap.ts';
import { watchHalfOpen } from './half-open-watch.ts';
import type { HttpOptions } from './http-options.ts';
import type { LiveOffer } from './live-offer.ts';
import { refusalResponse, respondRaw } from './raw-response.ts';
import { type RequestTarget, ROUTED_HOST, targetOf } from './request-target.ts';
import { asksForWebSocket, attachWebSockets, type RespondingApp } from './websocket.ts';

/** How often a closing server looks for connections that became idle. */
const IDLE_CHECK_MS = 100;

const WRITE_BUFFER_BYTES = 32_768;

/** Half-open connections on which nothing is sent are found some ten seconds later. */
const KEEP_ALIVE_DELAY_MS = 60_000;

const NO_PROXY = { ok: false, status: 400, detail: 'This service is no proxy.' } as const;

export interface HttpServer {
  /** The address with the real port. */
  readonly url: string;
  /** Takes no new connection and resolves when every answer, streams included, has ended. */
  close(): Promise<void>;
  /** Ends what is still open; `close` then resolves. */
  closeNow(): void;
}

/** What only some servers have around them. */
export interface ServerParts {
  readonly log: Log;
  /** The peers for which addresses are not counted. */
  readonly isTrustedProxy: (address: string | undefined) => boolean;
}

const ALONE: ServerParts = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  isTrustedProxy: () => false,
};

/** Rejects when the port is taken or may not be used. */
export async function listen(
  app: RespondingApp,
  options: HttpOptions,
  { log, isTrustedProxy }: ServerParts = ALONE,
): Promise<HttpServer> {
  const server = createServer(serverOptions(options), requestListener(app, log));
  // Bounded by the size of the head, and by the number that is refused: what is over it is not left out silently.
  server.maxHeadersCount = 0;
  server.setTimeout(options.stall_seconds * 1000);
  capConnections(server, { maxPerAddress: options.max_connections_per_address, isTrustedProxy, log });
  watchHalfOpen(server, { stallMs: options.stall_seconds * 1000 });
  const sockets = attachWebSockets(server, app, { maxMessageBytes: options.max_json_bytes });
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy());
    void respondRaw(socket, refusalResponse(NO_PROXY));
  });
  await opened(server, options);
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
    // Whatever the flags of the process say.
    insecureHTTPParser: false,
    requireHostHeader: true,
    headersTimeout: options.header_timeout_seconds * 1000,
    requestTimeout: options.request_timeout_seconds * 1000,
    keepAliveTimeout: options.keep_alive_seconds * 1000,
    // What a connection that is not read holds: this much, and what was on its way when it was full.
    highWaterMark: WRITE_BUFFER_BYTES,
    // The two timeouts are checked this often.
    connectionsCheckingInterval: 1000,
    shouldUpgradeCallback: asksForWebSocket,
    // A silent connection is asked now and then whether its other end is still there.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
}

/** What cannot be read in one way only is refused here; the adaptor and the application go by what was read. */
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
    // The adaptor makes an address of this one: it must not be what the client chose.
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

/** An answer that goes on while things happen is written to its socket directly, all others by the adaptor. */
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

/** A reader may stay for long: what it asked with is not kept, nor who would hear that it left before its answer. */
function forgetRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.headers = {};
  incoming.rawHeaders = [];
  outgoing.removeAllListeners('close');
}

function opened(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    // A connection that is kept alive after its last answer would hold the server open.
    const check = setInterval(() => {
      server.closeIdleConnections();
    }, IDLE_CHECK_MS);
    server.close((error) => {
      clearInterval(check);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = isPortAddress(address) ? address.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function isPortAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
