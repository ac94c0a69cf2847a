// Requests to the service. They carry the session and the CSRF header and watch the connection. Uploads
// report progress.
import type { Connection } from './connection.ts';
import { unreachable } from './service-error.ts';

export type ServiceFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface ServiceFetchOptions {
  /** Called when the service refused a request because there was no session. */
  readonly onSignedOut: () => void;
  readonly connection: Connection;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** A 401 from these does not mean that the session has ended. */
const ASKING = ['/api/v1/auth/login/local', '/api/v1/auth/me'];

/** Creates the fetch function for every request of the app, including those of the SDK. */
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

/** Returns the CSRF header that every changing request needs. Empty without a session. */
function csrfHeaders(): Readonly<Record<string, string>> {
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

export interface Upload {
  readonly path: string;
  /** A form sets its own content type. */
  readonly body: Blob | FormData;
  readonly contentType?: string;
  /** From 0 to 1. At 1, everything is sent and the response is awaited. */
  readonly onSent: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Resolves with any response. Throws RequestError when there is none, and `AbortError` when the upload is
 * cancelled.
 */
export type ServiceUpload = (upload: Upload) => Promise<Response>;

export function createServiceUpload({ onSignedOut, connection }: ServiceFetchOptions): ServiceUpload {
  return (upload) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', upload.path);
      for (const [name, value] of Object.entries(csrfHeaders())) request.setRequestHeader(name, value);
      if (upload.contentType !== undefined) request.setRequestHeader('Content-Type', upload.contentType);
      request.upload.onprogress = ({ loaded, total }) => upload.onSent(total === 0 ? 1 : loaded / total);
      request.upload.onload = () => upload.onSent(1);
      request.onload = () => {
        connection.report('answered');
        if (request.status === 401) onSignedOut();
        resolve(responseOf(request));
      };
      request.onerror = () => {
        connection.report('failed');
        reject(unreachable());
      };
      const callOff = () => {
        request.abort();
        reject(new DOMException('The upload was cancelled.', 'AbortError'));
      };
      upload.signal.addEventListener('abort', callOff, { once: true });
      if (upload.signal.aborted) callOff();
      else request.send(upload.body);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader('Retry-After');
  return new Response(request.responseText, {
    status: request.status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
}
