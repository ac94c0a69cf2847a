// Double-submit CSRF protection, and the Origin check of the sign-in routes (contract, Authentication 2).
import { ServiceError } from '../../errors.ts';
import type { AppContext, AppMiddleware } from '../context.ts';
import { isOwnOrigin } from '../own-origin.ts';
import { isSignInTarget } from '../public-paths.ts';
import { rawPath } from '../raw-path.ts';
import { requireCsrfToken } from '../require-csrf-token.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Comes after authentication, so that an anonymous write is a 401. */
export function csrf({ allowedOrigins }: { readonly allowedOrigins: readonly string[] }): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    if (isSignInTarget({ method: c.req.method, path: rawPath(c) })) refuseForeignOrigin(c, allowed);
    else if (!SAFE_METHODS.has(c.req.method)) requireCsrfToken(c, c.req.header('x-csrf-token'));
    await next();
  };
}

/** A page of another site must not sign a visitor in or out. Programs send no `Origin`. */
function refuseForeignOrigin(c: AppContext, allowed: ReadonlySet<string>): void {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  // The browser's own word, which no page can forge; it holds behind a proxy that changes the host, too.
  if (site === 'same-origin' || site === 'none') return;
  if (origin === undefined ? site === undefined : allowed.has(origin) || isOwnOrigin(c, origin)) return;
  throw new ServiceError('forbidden', 'This request comes from another site.');
}
