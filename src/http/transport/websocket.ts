// WebSocket upgrades. The application handles them like other requests; only certain routes accept them.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { refusalResponse, respondRaw } from './raw-response.ts';
import { ROUTED_HOST, targetOf } from './request-target.ts';

/** Accompanies a WebSocket request. The route accepts it, or responds as usual. */
export interface UpgradeOffer {
  /** Accepts the upgrade. `serve` is called with the open socket after the handshake. */
  accept(serve: (socket: WebSocket) => void): void;
}

/** The application that responds to requests. */
export interface RespondingApp {
  fetch(request: Request, env: object): Response | Promise<Response>;
}

export interface WebSockets {
  /** Notifies every client that the service is stopping and ends its connection. */
  closeAll(): void;
}

interface Handshake {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const GOING_AWAY = 1001;
/** How long a client may take to answer a close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 500;

/** Whether the client asks for a WebSocket. Requests for other upgrades are ordinary ones, as HTTP allows. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Handles upgrades. A message larger than `maxMessageBytes` closes its connection with 1009. */
export function attachWebSockets(
  server: Server,
  app: RespondingApp,
  { maxMessageBytes }: { readonly maxMessageBytes: number },
): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    // No subprotocol is supported. The default would echo the first one, and some clients put secrets there.
    handleProtocols: () => false,
  });
  server.on('upgrade', (incoming, socket, head) => {
    // A client that leaves during the handshake is not a failure.
    socket.on('error', () => socket.destroy());
    upgrade(app, sockets, { incoming, socket, head }).catch(() => socket.destroy());
  });
  return {
    closeAll() {
      for (const client of sockets.clients) {
        client.close(GOING_AWAY, 'The service is stopping.');
        setTimeout(() => client.terminate(), CLOSE_TIMEOUT_MS);
      }
    },
  };
}

async function upgrade(app: RespondingApp, sockets: WebSocketServer, handshake: Handshake): Promise<void> {
  const { incoming, socket, head } = handshake;
  const accepted: { serve?: (socket: WebSocket) => void } = {};
  const offer: UpgradeOffer = {
    accept(serve) {
      accepted.serve = serve;
    },
  };
  const reading = targetOf(incoming);
  if (!reading.ok) return respondRaw(socket, refusalResponse(reading));
  const { target } = reading;
  const response = await app.fetch(requestOf(incoming), { incoming, upgrade: offer, target });
  if (socket.destroyed) return;
  if (accepted.serve === undefined || !response.ok) await refuse(socket, response);
  else sockets.handleUpgrade(incoming, socket, head, accepted.serve);
}

function requestOf({ headers, url = '/' }: IncomingMessage): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(`http://${ROUTED_HOST}${url}`, { headers: pairs });
}

/** Sends the application's response. A success of a route that accepts no WebSocket becomes a 400. */
async function refuse(socket: Duplex, response: Response): Promise<void> {
  await respondRaw(socket, response.status < 400 ? await notASocket(response) : response);
}

async function notASocket(response: Response): Promise<Response> {
  await response.body?.cancel();
  return Response.json({ detail: 'This address does not speak WebSocket.' }, { status: 400 });
}
