// Errors as `{error, details?}`. The only place that turns a failure into a response.
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { RequestEnv } from '../http/request-log.ts';

export const errorSchema = z
  .object({
    error: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .openapi('Error');

type ErrorBody = z.infer<typeof errorSchema>;
type More = Pick<ErrorBody, 'details'> & { headers?: Record<string, string> };

/** A failure that the caller may read: the sentence says what to do. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly more: More;

  constructor(status: ContentfulStatusCode, message: string, more: More = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/** Refusals of the framework itself, in our words. */
const REFUSALS: Readonly<Record<number, string>> = { 400: 'The body is not JSON.', 413: 'The body is too large.' };

export function errorResponse(error: Error, c: Context<RequestEnv>): Response {
  if (error instanceof ApiError) {
    const { details, headers } = error.more;
    return c.json<ErrorBody>({ error: error.message, details }, error.status, headers);
  }
  if (error instanceof HTTPException)
    return c.json<ErrorBody>({ error: REFUSALS[error.status] ?? 'Refused.' }, error.status);
  c.get('log').error({ err: error }, 'a request failed');
  return c.json<ErrorBody>({ error: `Something went wrong on our side (request ${c.get('requestId')}).` }, 500);
}

export function notFound(c: Context): Response {
  return c.json<ErrorBody>({ error: 'There is nothing at this address.' }, 404);
}
