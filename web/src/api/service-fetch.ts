// The one `fetch` of the app: adds the CSRF header and notices lost sessions and lost connections.
import type { Connection } from './connection.ts';

export type ServiceFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface ServiceFetchOptions {
  /** Called when a request was refused because nobody is signed in. */
  readonly onSignedOut: () => void;
  readonly connection: Connection;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** A 401 from these is an answer to the question asked, not the end of a session. */
const ASKING = ['/api/v1/auth/login/local', '/api/v1/auth/me'];

/** Makes the fetch that every request of the app goes through, the SDK's included. */
export function createServiceFetch({ onSignedOut, connection }: ServiceFetchOptions): ServiceFetch {
  return async (url, init) => {
    const response = await send(url, init, connection);
    if (response.status === 401 && !ASKING.includes(pathOf(url))) onSignedOut();
    return response;
  };
}

async function send(
  url: string | URL | Request,
  init: RequestInit | undefined,
  connection: Connection,
): Promise<Response> {
  try {
    const response = await fetch(url, withCsrf(init));
    connection.report('answered');
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) connection.report('failed');
    throw error;
  }
}

function withCsrf(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  const isSafe = SAFE_METHODS.includes((init.method ?? 'GET').toUpperCase());
  if (!isSafe) for (const [name, value] of Object.entries(csrfHeaders())) headers.set(name, value);
  return { ...init, headers, credentials: 'same-origin' };
}

/** The header that a request which changes something needs; nothing while nobody is signed in. */
export function csrfHeaders(): Readonly<Record<string, string>> {
  const token = readCookie('__Host-csrf_token') ?? readCookie('csrf_token');
  return token === undefined ? {} : { 'X-CSRF-Token': token };
}

function readCookie(name: string): string | undefined {
  const pair = document.cookie.split('; ').find((it) => it.startsWith(`${name}=`));
  return pair === undefined ? undefined : decodeURIComponent(pair.slice(name.length + 1));
}

function pathOf(url: string | URL | Request): string {
  return new URL(url instanceof Request ? url.url : url, location.origin).pathname;
}
