// The official SDK as a signed-in user has it.
import { Client } from '@langchain/langgraph-sdk';
import { WebSocket } from 'ws';
import type { HttpClient } from '../support/http-client.ts';

export interface SdkUser {
  readonly url: string;
  readonly client: HttpClient;
}

function cookieOf({ client }: SdkUser): string {
  return [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Sends what a browser sends. */
export function sdkClient(user: SdkUser): Client {
  return new Client({
    apiUrl: `${user.url}/api/graph`,
    onRequest: (_url, init) => {
      const headers = new Headers(init.headers);
      headers.set('cookie', cookieOf(user));
      headers.set('x-csrf-token', user.client.cookies.get('csrf_token') ?? '');
      return { ...init, headers };
    },
  });
}

/** The same over WebSockets. What is opened is handed to `onOpen`. */
export function sdkSocketClient(user: SdkUser) {
  const sockets: WebSocket[] = [];
  const client = new Client({ apiUrl: `${user.url}/api/graph` });
  const webSocketFactory = (url: string) => {
    const socket = new WebSocket(url, { headers: { cookie: cookieOf(user), origin: user.url } });
    sockets.push(socket);
    return socket as unknown as globalThis.WebSocket;
  };
  return {
    sockets,
    stream: (threadId: string, options: object = {}) =>
      client.threads.stream(threadId, {
        assistantId: 'lead_agent',
        transport: 'websocket',
        webSocketFactory,
        reconnectDelayMs: () => 0,
        ...options,
      }),
  };
}
