// Requests to authorization servers. Tool servers name them, so internal addresses are not reached for them.
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { FetchLike } from '@modelcontextprotocol/client';
import { atMost } from '../../at-most.ts';
import { hostOf, isReachable } from '../../network/address-rules.ts';
import { checkedHost, type Resolve } from '../../network/checked-host.ts';
import { pinnedRequest } from '../../network/pinned-request.ts';
import type { RemoteServer } from './remote-server.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1_048_576;

/** The address is not allowed, or nothing responds there. The message is a clause that people may read. */
export class AuthorizationServerError extends Error {
  override readonly name = 'AuthorizationServerError';
}

export type FetchFor = (server: RemoteServer) => FetchLike;

interface FetchForParts {
  readonly resolve: Resolve;
  /** Hosts inside the network that may be asked, as `host` or `host:port`. */
  readonly allowHosts: readonly string[];
}

/**
 * Requests for the accounts at a server. Allows internal addresses and http also for the entry itself, with
 * scheme and port: an administrator named them. Redirects are not followed. Rejects with
 * `AuthorizationServerError`.
 */
export function createFetchFor({ resolve, allowHosts }: FetchForParts): FetchFor {
  return ({ url, oauth }) => {
    const origins = [url, oauth?.token_url].flatMap((text) => URL.parse(text ?? '')?.origin ?? []);
    return authorizationFetch(resolve, new Set([...allowHosts, ...origins]));
  };
}

/** `named` are hosts, hosts with a port, or origins. */
function authorizationFetch(resolve: Resolve, named: ReadonlySet<string>): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const addresses = await addressesOf(url, resolve, named);
    const late = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await pinnedRequest({
        url,
        addresses,
        signal: init.signal ? AbortSignal.any([late, init.signal]) : late,
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...bodyOf(init.body),
      });
      return await readResponse(response);
    } catch (cause) {
      if (cause instanceof AuthorizationServerError) throw cause;
      throw new AuthorizationServerError('its authorization server does not answer', { cause });
    }
  };
}

async function addressesOf(url: URL, resolve: Resolve, named: ReadonlySet<string>) {
  const isNamed = [url.host, url.hostname, url.origin].some((it) => named.has(it));
  if (url.protocol !== 'https:' && !(isNamed && url.protocol === 'http:'))
    throw new AuthorizationServerError('its authorization server has no https address');
  const host = hostOf(url);
  const checked = await checkedHost(host, resolve, (it) => isReachable(it, isNamed ? 'lan' : 'public'));
  switch (checked.kind) {
    case 'reachable':
      return checked.addresses;
    case 'unknown':
      throw new AuthorizationServerError('the name of its authorization server is not known');
    case 'inside':
      throw new AuthorizationServerError(
        'its authorization server lies inside of the network; an operator can allow it (mcp.allow_hosts)',
      );
  }
}

/** The library sends forms and JSON. */
function bodyOf(body: RequestInit['body']): { readonly body?: string } {
  if (body instanceof URLSearchParams) return { body: body.toString() };
  return typeof body === 'string' ? { body } : {};
}

async function readResponse(response: IncomingMessage): Promise<Response> {
  // A tool server that needs no sign-in may begin to stream.
  if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
    response.destroy();
    return new Response(null, { status: statusOf(response) });
  }
  const tooMuch = () => new AuthorizationServerError('the response of its authorization server is too large');
  const body = await buffer(atMost(response, MAX_BYTES, tooMuch));
  return new Response(body.length === 0 ? null : body, {
    status: statusOf(response),
    headers: headersOf(response),
  });
}

function statusOf({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode >= 200 && statusCode <= 599) return statusCode;
  throw new AuthorizationServerError('its authorization server sent an invalid response');
}

function headersOf({ headers }: IncomingMessage): Headers {
  const kept = new Headers();
  for (const name of ['content-type', 'www-authenticate'] as const) {
    const value = headers[name];
    if (value !== undefined) kept.set(name, value);
  }
  return kept;
}
