// Validates input of a client: returns a typed value, or throws a 422 that names the invalid fields.
import type { z } from 'zod';
import { ServiceError, type ValidationIssue } from '../../errors.ts';

type Place = 'body' | 'query' | 'path';

/** A body may have tens of thousands of invalid fields. */
const MAX_ISSUES = 100;

/**
 * Throws `validation_failed` for the first hundred problems, each with a `loc` that starts with `place`.
 * Never repeats text of the client.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, place: Place): T {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_ISSUES).flatMap((issue) => toIssues(issue, place));
  throw new ServiceError('validation_failed', 'The request is not valid.', {
    issues: issues.slice(0, MAX_ISSUES),
  });
}

function toIssues(issue: z.core.$ZodIssue, place: Place): ValidationIssue[] {
  const loc = [place, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_ISSUES)
      .map((key) => ({ loc: [...loc, key], msg: 'Unknown field', type: 'extra_forbidden' }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  return [{ loc, msg: issue.message, type: issue.code === 'custom' ? 'value_error' : issue.code }];
}
