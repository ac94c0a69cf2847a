// One request of the app and the reading of its answer; all calls are made of these two.
import * as z from 'zod/mini';
import { RequestError, requestErrorOf, unreachable } from './service-error.ts';
import type { ServiceFetch } from './service-fetch.ts';

/** Answers what succeeded; throws RequestError for everything else. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

/** `body` is sent as JSON, and as a form where it is `URLSearchParams`. */
export function createCall(fetch: ServiceFetch): Call {
  return async (method, path, body) => {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      headers: isForm || body === undefined ? {} : { 'Content-Type': 'application/json' },
    }).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw await requestErrorOf(response);
    return response;
  };
}

/** The body of an answer in the shape that is expected; throws RequestError when it has another one. */
export async function read<T extends z.core.$ZodType>(response: Response, schema: T): Promise<z.output<T>> {
  const parsed = z.safeParse(schema, await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new RequestError(response.status, 'The service gave an answer that this page does not understand.');
}

export function threadPath(threadId: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}`;
}
