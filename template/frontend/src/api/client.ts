// The backend's API with the types of its OpenAPI document, which `npm run client` writes into schema.d.ts.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

export type User = components['schemas']['User'];
export type Note = components['schemas']['Note'];
type ErrorBody = components['schemas']['Error'];

export const client = createClient<paths>({ baseUrl: '/api' });

/** The backend refused, or was not reached (`status` 0). The message can be shown. */
export class RequestError extends Error {
  readonly status: number;
  readonly details: NonNullable<ErrorBody['details']>;

  constructor(status: number, { error, details = [] }: ErrorBody) {
    super(error);
    this.status = status;
    this.details = details;
  }
}

type Outcome<T> = { response: Response; data?: T; error?: ErrorBody };

/** The body of a successful response. Throws RequestError for all others. */
export async function answer<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { response, error, data } = await call.catch(() => {
    throw new RequestError(0, { error: 'The server cannot be reached. Are you online?' });
  });
  if (response.ok) return data as T;
  const isReadable = typeof error?.error === 'string';
  throw new RequestError(response.status, isReadable ? error : { error: `The server says ${response.status}.` });
}

/** The problem of one field of the submitted form. */
export function fieldError(error: Error | null, field: string): string | undefined {
  return error instanceof RequestError ? error.details.find((it) => it.field === field)?.message : undefined;
}

/** The problems other than those of fields, which show their own. */
export function formError(error: Error | null, ...shown: readonly string[]): string | undefined {
  if (!(error instanceof RequestError) || error.details.length === 0) return error?.message;
  return error.details.find((it) => !shown.includes(it.field))?.message;
}
