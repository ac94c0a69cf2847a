// Requests to a provider over our own connections: `fetch` costs several times as much per packet.
import { webBytes } from './byte-source.ts';
import {
  type Agents,
  createAgents,
  exchange,
  failed,
  type HttpResponse,
  type Order,
} from './http-exchange.ts';

/**
 * Takes what the provider packages pass to `fetch`. Rejects as `fetch` does: with the reason of an abort, or
 * with `TypeError: fetch failed` and the network's error as its cause. Follows a redirect only within the
 * same origin, and only one that keeps the request (307, 308); others fail with the code `EREDIRECT`.
 */
export type HttpPost = (
  address: Parameters<typeof globalThis.fetch>[0],
  init: PostInit,
) => Promise<HttpResponse>;

type PostInit = Omit<RequestInit, 'body'> & Pick<Order, 'body' | 'onConnected'>;

/** Does the same over a `fetch`, which reports a connection only by its response. */
export function fetchPost(fetch: typeof globalThis.fetch): HttpPost {
  return async (address, { body: sent, onConnected, ...init }) => {
    const whole = typeof sent === 'string' ? sent : Buffer.concat(sent);
    const { status, statusText, headers, body } = await fetch(address, { ...init, body: whole });
    onConnected?.();
    return { status, statusText, headers: () => headers, bytes: body === null ? undefined : webBytes(body) };
  };
}

const IDLE_MS = 5_000;
const MOST_REDIRECTS = 3;

export function createHttpPost(): HttpPost {
  const agents = createAgents({ keepAlive: true, scheduling: 'lifo', timeout: IDLE_MS });
  return async (address, init) => {
    const order = orderOf(init, agents);
    let url = new URL(address instanceof Request ? address.url : address);
    for (let redirects = 0; ; redirects += 1) {
      order.signal?.throwIfAborted();
      const response = await exchange({ ...order, url });
      if (!REDIRECTS.has(response.status)) return response;
      await response.bytes?.cancel(undefined);
      if (redirects === MOST_REDIRECTS) throw badRedirect('The provider redirects too often.');
      url = redirected(url, response);
    }
  };
}

function orderOf({ body, headers, signal, onConnected }: PostInit, agents: Agents): Omit<Order, 'url'> {
  const given = Object.fromEntries(new Headers(headers));
  // Responses are small and read as they arrive: decompressing them would cost more than it saves.
  const all = { accept: '*/*', ...given, 'accept-encoding': 'identity' };
  return { headers: all, body, signal: signal ?? undefined, agents, onConnected };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends keys only to the address for which they are configured. */
function redirected(from: URL, { status, headers }: HttpResponse): URL {
  const location = headers().get('location') ?? '';
  const to = URL.parse(location, from.href);
  if (to?.origin !== from.origin || status < 307)
    throw badRedirect('The provider redirects to another address.');
  return to;
}

function badRedirect(message: string): TypeError {
  return failed(Object.assign(new Error(message), { code: 'EREDIRECT' }));
}
