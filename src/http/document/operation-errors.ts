// The errors of an operation: those that its route names, and those that follow from what the route is.
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { ERROR_RESPONSES, type ErrorBody } from '../api/error-response.ts';
import { accessOf, isOpen, type RouteAccess } from '../api/route-access.ts';
import type { RouteDescription, RouteResponse } from '../api/route-table.ts';

const text = z.object({ detail: z.string() }).meta({
  id: 'TextError',
  description: 'What is wrong and what to do, in a sentence.',
  examples: [{ detail: 'Thread not found' }],
});
const issues = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .meta({ description: 'Where it is: `body`, `query`, `path` or `header`, then field by field' }),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .meta({
    id: 'ValidationError',
    description: 'Each field that is not valid; a hundred at most.',
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

/** Any error, also one that no operation names. */
export const anyError: RouteResponse = {
  description: 'Any other error. A 500 says nothing about its cause.',
  schema: z.union([text, coded, issues]).meta({ id: 'Error' }),
};

const AUTHENTICATION = ['not_authenticated', 'token_invalid', 'token_expired', 'user_not_found'] as const;
/** Not every credential is enough for these. */
const ASKING_FOR_MORE: ReadonlySet<RouteAccess> = new Set(['session', 'write', 'api_key']);
const READING_A_BODY = [
  'invalid',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
] as const;

/** Why a status is answered, as the document says it. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'The request makes no sense.',
  401: 'The credentials are missing, wrong or expired.',
  403: 'The credentials are not enough for this, or the CSRF token is missing or wrong.',
  404: 'It does not exist, or it is not yours.',
  409: 'The state of things forbids it.',
  412: 'It is no longer the version that `If-Match` names.',
  413: 'The request is larger than is allowed.',
  415: 'The body is of another type than this operation reads.',
  416: 'There is no such part, or more than one was asked for.',
  422: 'Parts of the request are not valid.',
  429: 'Too many requests. `Retry-After` says in how many seconds to try again, where that is known.',
  503: 'Something that the service needs does not answer. Try again after `Retry-After` seconds.',
  507: 'There is no space left.',
};

/** The errors by status, each with the body that it has. */
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
