// Keeps pages of other sites out: double-submit CSRF protection, and the `Origin` of sign-ins and WebSockets
// (docs/contract/authentication.md#csrf).
import { ServiceError } from '../../errors.ts';
import { requireCsrfToken } from '../access/session-cookies.ts';
import type { AppContext, AppMiddleware } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';
import { isOwnOrigin } from '../transport/request-target.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface CsrfParts {
  readonly allowedOrigins: readonly string[];
  readonly routes: Pick<RouteTable, 'openAccess'>;
}

/** Comes after authentication, so that an anonymous write is a 401. */
export function csrf({ allowedOrigins, routes }: CsrfParts): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    const { target } = c.var;
    if (routes.openAccess(target) === 'sign_in') refuseForeignOrigin(c, allowed);
    else if (!SAFE_METHODS.has(target.method)) requireCsrfToken(c, c.req.header('x-csrf-token'));
    await next();
  };
}

/** A page of another site must not sign a visitor in or out. Programs send no `Origin`. */
function refuseForeignOrigin(c: AppContext, allowed: ReadonlySet<string>): void {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  // The browser's own word, which no page can forge; it holds behind a proxy that changes the host, too.
  if (site === 'same-origin' || site === 'none') return;
  if (origin === undefined ? site === undefined : allowed.has(origin) || isOwnOrigin(c.var.target, origin))
    return;
  throw new ServiceError('forbidden', 'This request comes from another site.');
}

/**
 * Refuses every upgrade by a session whose `Origin` is absent, foreign, or not exactly one of the configured ones:
 * browsers let any page open a WebSocket with the visitor's cookies.
 */
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
