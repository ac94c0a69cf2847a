// Double-submit CSRF protection, and the Origin check of the sign-in routes (contract, Authentication 2).
import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { AppContext, AppMiddleware } from '../context.ts';
import { isSignInTarget } from '../public-paths.ts';
import { rawPath } from '../raw-path.ts';
import { csrfToken } from '../session-cookies.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Comes after authentication, so that an anonymous write is a 401. */
export function csrf({ allowedOrigins }: { readonly allowedOrigins: readonly string[] }): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(allowedOrigins);
  return async (c, next) => {
    if (isSignInTarget({ method: c.req.method, path: rawPath(c) })) refuseForeignOrigin(c, allowed);
    else if (!SAFE_METHODS.has(c.req.method)) requireToken(c);
    await next();
  };
}

function requireToken(c: AppContext): void {
  const cookie = csrfToken(c) ?? '';
  const header = c.req.header('x-csrf-token') ?? '';
  if (cookie === '' || header === '') throw new ServiceError('forbidden', 'CSRF token missing');
  if (!equal(cookie, header)) throw new ServiceError('forbidden', 'CSRF token mismatch');
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

/** Compared without the scheme, which a proxy that ends TLS changes. */
function isOwnOrigin(c: AppContext, origin: string): boolean {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && originHost !== '' && new URL(own).host === originHost;
}

function equal(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
