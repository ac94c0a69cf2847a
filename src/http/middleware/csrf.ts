// Double-submit CSRF protection, and the Origin check of the sign-in routes (docs/contract/authentication.md#csrf).
import { ServiceError } from '../../errors.ts';
import { isOwnOrigin } from '../access/own-origin.ts';
import { requireCsrfToken } from '../access/require-csrf-token.ts';
import type { AppContext, AppMiddleware } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';

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
