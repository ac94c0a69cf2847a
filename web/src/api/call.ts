// Sends one request and reads its response. Every call is built on these two functions.
import * as z from 'zod/mini';
import { RequestError, requestErrorOf, unreachable } from './service-error.ts';
import type { ServiceFetch } from './service-fetch.ts';

/** Returns successful responses. Throws RequestError for everything else. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

/** The time after which a request that can be sent again gives up on a connection that delivers nothing. */
const KEYED_MS = 60_000;

/** A body that the service accepts once, however often it is sent with this key within a day. */
export class Keyed {
  readonly key: string;
  readonly body: object;

  constructor(key: string, body: object) {
    this.key = key;
    this.body = body;
  }
}

/**
 * Creates the function that sends requests. It sends `URLSearchParams` as a form, a `Blob` unchanged, and any
 * other body as JSON.
 */
export function createCall(fetch: ServiceFetch): Call {
  return async (method, path, body) => {
    const response = await fetch(path, {
      method,
      ...(body === undefined ? {} : requestOf(body)),
    }).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw await requestErrorOf(response);
    return response;
  };
}

function requestOf(body: unknown): Pick<RequestInit, 'body' | 'headers' | 'signal'> {
  if (body instanceof URLSearchParams || body instanceof Blob) return { body };
  const headers = { 'Content-Type': 'application/json' };
  if (!(body instanceof Keyed)) return { body: JSON.stringify(body), headers };
  return {
    body: JSON.stringify(body.body),
    headers: { ...headers, 'Idempotency-Key': body.key },
    signal: AbortSignal.timeout(KEYED_MS),
  };
}

/** Returns the parsed body of a response. Throws RequestError when it does not match the schema. */
export async function read<T extends z.core.$ZodType>(response: Response, schema: T): Promise<z.output<T>> {
  const parsed = z.safeParse(schema, await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new RequestError(response.status, 'The service sent a response that this page does not understand.');
}

export function threadPath(threadId: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}`;
}
