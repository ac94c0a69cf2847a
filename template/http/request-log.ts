// One line per request, with its id.
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';

/** The values of every request. */
export interface RequestEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string; log: Logger };
}

export function logRequests(log: Logger): MiddlewareHandler<RequestEnv> {
  return async (c, next) => {
    const start = performance.now();
    const line = log.child({ requestId: c.get('requestId') });
    c.set('log', line);
    await next();
    const { method, path } = c.req;
    const { status } = c.res;
    // Probes and scrapes come every few seconds, and say nothing.
    const level = /^\/(health|metrics)/.test(path) ? 'debug' : 'info';
    line[level]({ method, path, status, ms: Math.round(performance.now() - start) }, `${method} ${path} ${status}`);
  };
}
