// One line per request, with its id.
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { User } from './auth/user-store.ts';

/** What a request carries with it. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string; log: Logger; user: User };
}

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
