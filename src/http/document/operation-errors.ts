// The errors of an operation: those that its route names, and those that its definition implies.
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { ERROR_RESPONSES, type ErrorBody } from '../api/error-response.ts';
import { accessOf, isOpen, type RouteAccess } from '../api/route-access.ts';
import type { RouteDescription, RouteResponse } from '../api/route-table.ts';

const text = z.object({ detail: z.string() }).meta({
  id: 'TextError',
  description: 'What is wrong and what to do about it, in one sentence.',
  examples: [{ detail: 'Thread not found' }],
});
const issues = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])).meta({
          description: 'Where the problem is: `body`, `query`, `path` or `header`, then field by field',
        }),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .meta({
    id: 'ValidationError',
    description: 'The fields that are not valid; at most a hundred.',
    examples: [
      { detail: [{ loc: ['body', 'limit'], msg: 'Too big: expected number to be <=100', type: 'too_big' }] },
    ],
  });
const coded = z.object({ detail: z.object({ code: z.string(), message: z.string() }) }).meta({
  id: 'CodedError',
  description: 'A code for programs and a sentence for people.',
  examples: [{ detail: { code: 'not_authenticated', message: 'Sign in first.' } }],
});
const BODIES = { text, coded, issues } as const satisfies Record<ErrorBody['body'], z.ZodType>;

/** Any error, including those that no operation names. */
export const anyError: RouteResponse = {
  description: 'Any other error. A 500 does not reveal its cause.',
  schema: z.union([text, coded, issues]).meta({ id: 'Error' }),
};

const AUTHENTICATION = ['not_authenticated', 'token_invalid', 'token_expired', 'user_not_found'] as const;
/** Kinds of access for which some credentials are not sufficient. */
const ASKING_FOR_MORE: ReadonlySet<RouteAccess> = new Set(['session', 'write', 'api_key']);
const READING_A_BODY = [
  'invalid',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
] as const;

/** The reason for each status in the document. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The credentials are missing, wrong or expired.',
  403: 'The credentials do not allow this, or the CSRF token is missing or wrong.',
  404: 'It does not exist, or it is not yours.',
  409: 'The current state does not allow it.',
  412: 'The current version is not the one that `If-Match` names.',
  413: 'The request is larger than is allowed.',
  415: 'The body is of another type than this operation reads.',
  416: 'The range does not exist, or more than one was requested.',
  422: 'Parts of the request are not valid.',
  429: 'Too many requests. `Retry-After`, when present, is the number of seconds to wait.',
  503: 'Something that the service needs does not answer. Try again after `Retry-After` seconds.',
  507: 'No space is left.',
};

/** Returns the errors by status, each with its body. */
export function errorResponses(route: RouteDescription): Readonly<Record<number, RouteResponse>> {
  const codesByStatus = Map.groupBy(errorCodesOf(route), (code) => ERROR_RESPONSES[code].status);
  return Object.fromEntries([...codesByStatus].map(([status, codes]) => [status, toResponse(status, codes)]));
}

function toResponse(status: number, codes: readonly ErrorCode[]): RouteResponse {
  const [first = 'text', ...others] = new Set(codes.map((code) => ERROR_RESPONSES[code].body));
  const shown = codes
    .filter((code) => ERROR_RESPONSES[code].body === 'coded')
    .map((code) => `\`${ERROR_RESPONSES[code].code ?? code}\``);
  const reason = REASONS[status] ?? 'An error.';
  return {
    description: shown.length === 0 ? reason : `${reason} Codes: ${shown.join(', ')}.`,
    schema:
      others.length === 0 ? BODIES[first] : z.union([BODIES[first], ...others.map((kind) => BODIES[kind])]),
  };
}

function errorCodesOf(route: RouteDescription): readonly ErrorCode[] {
  const { method, path, body, query, headers, errors = [] } = route;
  const access = accessOf(route);
  const isOfThread = path.includes('{thread_id}');
  const isChecked = isOfThread || query !== undefined || headers !== undefined;
  const codes = new Set<ErrorCode>([
    ...(isOpen(access) ? [] : AUTHENTICATION),
    ...(method !== 'get' || ASKING_FOR_MORE.has(access) ? (['forbidden'] as const) : []),
    ...(isOfThread ? (['not_found'] as const) : []),
    ...(isChecked ? (['validation_failed'] as const) : []),
    ...(body === undefined ? [] : READING_A_BODY),
    ...errors,
    'unavailable',
  ]);
  return [...codes];
}
