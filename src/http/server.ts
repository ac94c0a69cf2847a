// Opens the port: Node's HTTP server around the application, with limits on slow and oversized requests.
import { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createAdaptorServer,
  type Http2Bindings,
  type HttpBindings,
  type ServerType,
} from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { watchHalfOpen } from './half-open-watch.ts';
import type { HttpOptions } from './http-options.ts';
import type { LiveOffer } from './live-offer.ts';
import { type Answering, asksForWebSocket, attachWebSockets, type WebSockets } from './websocket.ts';

/** How often a closing server looks for connections that became idle. */
const IDLE_CHECK_MS = 100;

const WRITE_BUFFER_BYTES = 32_768;

/** Half-open connections on which nothing is sent are found some ten seconds later. */
const KEEP_ALIVE_DELAY_MS = 60_000;

export interface HttpServer {
  /** The address with the real port. */
  readonly url: string;
  /** Takes no new connection and resolves when every answer, streams included, has ended. */
  close(): Promise<void>;
  /** Ends what is still open; `close` then resolves. */
  closeNow(): void;
}

/** Rejects when the port is taken or may not be used. */
export async function listen(app: Answering, options: HttpOptions): Promise<HttpServer> {
  const server = createAdaptorServer({
    fetch: (request, env) => answer(app, request, env),
    createServer,
    serverOptions: {
      maxHeaderSize: options.max_header_bytes,
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
    },
  });
  if ('setTimeout' in server) server.setTimeout(options.stall_seconds * 1000);
  const sockets = server instanceof Server ? prepared(server, app, options) : undefined;
  await opened(server, options);
  return {
    url: urlOf(server, options.host),
    close: () => closed(server),
    closeNow: () => {
      sockets?.closeAll();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}

/** An answer that goes on while things happen is written to its socket directly, all others by the adaptor. */
async function answer(
  app: Answering,
  request: Request,
  env: HttpBindings | Http2Bindings,
): Promise<Response> {
  const { incoming, outgoing } = env;
  if (!(outgoing instanceof ServerResponse && incoming instanceof IncomingMessage))
    return app.fetch(request, env);
  const live: LiveOffer = { body: undefined };
  const response = await app.fetch(request, { incoming, outgoing, live });
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

function prepared(server: Server, app: Answering, options: HttpOptions): WebSockets {
  watchHalfOpen(server, { stallMs: options.stall_seconds * 1000 });
  return attachWebSockets(server, app, { maxMessageBytes: options.max_json_bytes });
}

function opened(server: ServerType, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: ServerType): Promise<void> {
  return new Promise((resolve, reject) => {
    // A connection that is kept alive after its last answer would hold the server open.
    const check = setInterval(() => {
      if ('closeIdleConnections' in server) server.closeIdleConnections();
    }, IDLE_CHECK_MS);
    server.close((error) => {
      clearInterval(check);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

function urlOf(server: ServerType, host: string): string {
  const address = server.address();
  const port = isPortAddress(address) ? address.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function isPortAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
