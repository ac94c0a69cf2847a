// A WebSocket client as a browser is one: cookies and an origin, then text frames.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type ClientOptions, WebSocket } from 'ws';
import type { HttpClient } from '../support/http-client.ts';

export interface SocketFrame {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

export interface SocketClient {
  readonly socket: WebSocket;
  /** Everything that came so far, parsed. */
  readonly received: readonly unknown[];
  /** The socket was closed, by whomever. */
  readonly closed: Promise<SocketEnd>;
  /** A text as it is, anything else as JSON. */
  send(message: unknown): void;
  /** Resolves with the first message, of those that came and that will come, that is as wanted. */
  until<T>(wanted: (message: T) => boolean): Promise<T>;
}

export interface Refused {
  readonly status: number;
  readonly body: string;
}

export interface Connecting {
  readonly url: string;
  readonly client?: HttpClient;
  /** `null`: none. Default: the page of the service itself. */
  readonly origin?: string | null;
  readonly options?: ClientOptions;
}

/** A socket whose handshake is under way. */
export function socketOf({ url, client, origin, options }: Connecting): WebSocket {
  const { protocol, host } = new URL(url);
  const page = origin === undefined ? `${protocol}//${host}` : origin;
  const cookie = [...(client?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  return new WebSocket(url.replace(/^http/, 'ws'), {
    ...options,
    headers: {
      ...(page !== null && { origin: page }),
      ...(cookie !== '' && { cookie }),
      ...options?.headers,
    },
  });
}

/** Resolves when the handshake is done; rejects when it was refused. */
export async function connect(connecting: Connecting): Promise<SocketClient> {
  const socket = socketOf(connecting);
  const received: unknown[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  return {
    socket,
    received,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    until: <T>(wanted: (message: T) => boolean) =>
      new Promise<T>((resolve, reject) => {
        const look = (): void => {
          const found = received.find((message) => wanted(message as T));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found as T);
        };
        waiting.add(look);
        closed.then(({ code, reason }) => reject(new Error(`The socket was closed: ${code} ${reason}`)));
        look();
      }),
  };
}

/** The answer to a handshake that must not succeed. */
export function refusedConnect(connecting: Connecting): Promise<Refused> {
  const socket = socketOf(connecting);
  return new Promise((resolve, reject) => {
    socket.on('open', () => reject(new Error('The handshake was accepted.')));
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
}
