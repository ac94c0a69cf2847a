// Assigns an id to every request and logs one line about it, without query, body or headers.
import type { Log } from '../../log.ts';
import type { AppMiddleware } from '../api/context.ts';

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_LOGGED_PATH = 256;

export interface RequestLogDependencies {
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Uses the client's `X-Request-Id` as the id if it is well-formed, and returns the id in the same header. */
export function requestLog({ log, now, newId }: RequestLogDependencies): AppMiddleware {
  return async (c, next) => {
    const startedAt = now();
    const given = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : newId();
    c.set('requestId', requestId);
    await next();
    c.res.headers.set('X-Request-Id', requestId);
    const { method, path: whole } = c.var.target;
    const path = whole.slice(0, MAX_LOGGED_PATH);
    const fields = { requestId, method, path, status: c.res.status, ms: now() - startedAt };
    if (path.startsWith('/api/') || path === '/mcp') log.info(fields, 'Request');
    else log.debug(fields, 'Request');
  };
}
