// How the API's parts are made.
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv } from './auth/sessions.ts';
import { ApiError } from './errors.ts';

/** The messages of schemas without their own: sentences for people, never those of the library. */
z.config({
  customError: ({ code, input, ...issue }) => {
    if (input === undefined) return 'This is required.';
    if (code === 'invalid_type') return KINDS[String(issue.expected)] ?? 'This has the wrong type.';
    if (code === 'too_small') return `This must be at least ${issue.minimum}.`;
    if (code === 'too_big') return `This must be at most ${issue.maximum}.`;
    return 'This is not valid.';
  },
});
const KINDS: Readonly<Record<string, string>> = {
  string: 'This must be text.',
  number: 'This must be a number.',
  int: 'This must be a whole number.',
  boolean: 'This must be true or false.',
  array: 'This must be a list.',
  object: 'This must be an object.',
};

/** Routes added here check what comes in by their schemas: a mismatch is a 400 with the fields. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const details = result.error.issues.flatMap((issue) => {
        const at = issue.path.join('.');
        if (issue.code !== 'unrecognized_keys') return [{ field: at, message: issue.message }];
        return issue.keys.map((key) => ({ field: at ? `${at}.${key}` : key, message: 'Unknown field.' }));
      });
      throw new ApiError(400, 'Some fields are not right.', { details });
    },
  });
}
