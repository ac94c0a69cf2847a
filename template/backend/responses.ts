// How routes describe what they answer.
import type { z } from '@hono/zod-openapi';
import { errorSchema } from './errors.ts';

const MEANINGS = {
  400: 'A field is not right.',
  401: 'Nobody is signed in.',
  404: 'There is no such record of this user.',
  409: 'It exists already, or has changed since it was read.',
  429: 'Too many attempts.',
} as const;

export function json<T extends z.ZodType>(description: string, schema: T) {
  return { description, content: { 'application/json': { schema } } };
}

/** A body that has to be there. */
export function jsonBody<T extends z.ZodType>(schema: T) {
  return { body: { required: true, content: { 'application/json': { schema } } } };
}

export function failures<S extends keyof typeof MEANINGS>(...statuses: readonly S[]) {
  const entries = statuses.map((it) => [it, json(MEANINGS[it], errorSchema)] as const);
  return Object.fromEntries(entries) as Record<S, ReturnType<typeof json<typeof errorSchema>>>;
}
