// Blocks requests from pages of other sites: double-submit CSRF protection, and `Origin` checks for sign-ins
// and WebSockets (docs/contract/authentication.md#csrf).
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

/** Runs after authentication, so that an anonymous write gets a 401. */
export function csrf({ allowedOrigins, routes }: CsrfParts): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    const { target } = c.var;
    if (routes.openAccess(target) === 'sign_in') refuseForeignOrigin(c, allowed);
    else if (!SAFE_METHODS.has(target.method)) requireCsrfToken(c, c.req.header('x-csrf-token'));
    await next();
  };
}

/** Keeps pages of other sites from signing a visitor in or out. Programs send no `Origin`. */
function refuseForeignOrigin(c: AppContext, allowed: ReadonlySet<string>): void {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  // The browser sets this header, and no page can forge it. It holds even if a proxy changes the host.
  if (site === 'same-origin' || site === 'none') return;
  if (origin === undefined ? site === undefined : allowed.has(origin) || isOwnOrigin(c.var.target, origin))
    return;
  throw new ServiceError('forbidden', 'This request comes from another site.');
}

/**
 * Refuses every upgrade with a session unless its `Origin` is that of this service or exactly a configured
 * one, because browsers let any page open a WebSocket with the visitor's cookies.
 */
export function requireOrigin(allowedOrigins: readonly string[]): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    // Pages cannot send an API key with a WebSocket, and programs send no origin.
    if (c.env?.upgrade !== undefined && c.var.credential?.kind !== 'api_key') {
      const origin = c.req.header('origin');
      if (origin === undefined || !(allowed.has(origin) || isOwnOrigin(c.var.target, origin))) {
        throw new ServiceError(
          'forbidden',
          'Only pages of this service and configured origins can open WebSockets.',
        );
      }
    }
    await next();
  };
}
