// One line per request, with its id.
import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { AppEnv } from './context.ts';

export function logRequests(log: Logger): MiddlewareHandler<AppEnv> {
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
