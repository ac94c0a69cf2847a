// Browsers let any page open a WebSocket with the visitor's cookies: only known pages may.
import { ServiceError } from '../../errors.ts';
import { isOwnOrigin } from '../access/own-origin.ts';
import type { AppMiddleware } from '../api/context.ts';

/** Refuses every upgrade by a session whose `Origin` is absent, foreign, or not exactly one of the configured ones. */
export function requireOrigin(allowedOrigins: readonly string[]): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    // Pages cannot send an API key with a WebSocket, programs have no origin.
    if (c.env?.upgrade !== undefined && c.var.credential?.kind !== 'api_key') {
      const origin = c.req.header('origin');
      if (origin === undefined || !(allowed.has(origin) || isOwnOrigin(c.var.target, origin))) {
        throw new ServiceError(
          'forbidden',
          'WebSockets are for pages of this service and configured origins.',
        );
      }
    }
    await next();
  };
}
