// How the API's parts are made.
import { OpenAPIHono } from '@hono/zod-openapi';
import { ApiError } from './errors.ts';
import type { AppEnv } from './request-log.ts';

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
