// WebSocket upgrades: asked of the application like any other request, accepted only where a route says so.
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeOffer } from './websocket/upgrade-offer.ts';

/** What answers the requests: the application. */
export interface Answering {
  fetch(request: Request, env: object): Response | Promise<Response>;
}

export interface WebSockets {
  /** Tells every client that the service stops and ends its connection. */
  closeAll(): void;
}

interface Handshake {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const GOING_AWAY = 1001;
/** How long a client has to answer a close frame. */
const CLOSE_TIMEOUT_MS = 500;

/** Other upgrades than to WebSocket are ignored, as HTTP allows; the request is then an ordinary one. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A message larger than `maxMessageBytes` closes its connection with 1009. */
export function attachWebSockets(
  server: Server,
  app: Answering,
  { maxMessageBytes }: { readonly maxMessageBytes: number },
): WebSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  server.on('upgrade', (incoming, socket, head) => {
    // A client that leaves in the middle of the handshake is no failure.
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

async function upgrade(app: Answering, sockets: WebSocketServer, handshake: Handshake): Promise<void> {
  const { incoming, socket, head } = handshake;
  const accepted: { serve?: (socket: WebSocket) => void } = {};
  const offer: UpgradeOffer = {
    accept(serve) {
      accepted.serve = serve;
    },
  };
  const request = requestOf(incoming);
  if (request === undefined) return refuse(socket, Response.json({ detail: 'Bad request' }, { status: 400 }));
  const response = await app.fetch(request, { incoming, upgrade: offer });
  if (socket.destroyed) return;
  if (accepted.serve === undefined || !response.ok) await refuse(socket, response);
  else sockets.handleUpgrade(incoming, socket, head, accepted.serve);
}

/** `undefined` when host and target do not make an address. */
function requestOf({ headers, url = '/' }: IncomingMessage): Request | undefined {
  const origin = `http://${headers.host ?? 'localhost'}`;
  // A host with a path in it would make the address another one than the target says.
  if (!URL.canParse(origin) || new URL(origin).href !== `${new URL(origin).origin}/`) return undefined;
  const target = url.startsWith('/') ? `${new URL(origin).origin}${url}` : url;
  if (!URL.canParse(target)) return undefined;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(target, { headers: pairs });
}

/** The application's answer, in its own words; a success of a route that is no WebSocket is none. */
async function refuse(socket: Duplex, response: Response): Promise<void> {
  const answer = response.status < 400 ? await notASocket(response) : response;
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = [...answer.headers].filter(([name]) => name !== 'content-length');
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
}

async function notASocket(response: Response): Promise<Response> {
  await response.body?.cancel();
  return Response.json({ detail: 'This address does not speak WebSocket.' }, { status: 400 });
}
