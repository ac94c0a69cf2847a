// The two cookies of a session, and the proof that a request comes from its own page
// (docs/contract/authentication.md#cookies).

import { timingSafeEqual } from 'node:crypto';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

const ACCESS_TOKEN = 'access_token';
const CSRF_TOKEN = 'csrf_token';

/**
 * Cookie name prefix over https. Only this host can set such cookies, so sibling sites cannot replace them.
 */
const HOST = '__Host-';

/** Names of the session cookie over http and https. */
export const SESSION_COOKIES = { http: ACCESS_TOKEN, https: `${HOST}${ACCESS_TOKEN}` } as const;

interface NewSession {
  readonly token: string;
  readonly csrfToken: string;
  /** Seconds for which the cookies persist. If absent, they end with the browser session. */
  readonly maxAge: number | undefined;
}

export function setSessionCookies(c: AppContext, { token, csrfToken: csrf, maxAge }: NewSession): void {
  const { isHttps: https } = c.var.client;
  const shared = { path: '/', secure: https, ...(maxAge !== undefined && { maxAge }) };
  const readable = { ...shared, sameSite: 'Strict' } as const;
  setCookie(c, nameOf(c, ACCESS_TOKEN), token, { ...shared, httpOnly: true, sameSite: 'Lax' });
  setCookie(c, nameOf(c, CSRF_TOKEN), csrf, readable);
  // For programs that expect the plain name. The service ignores it over https.
  if (https) setCookie(c, CSRF_TOKEN, csrf, readable);
  else forgetHostCookies(c);
}

/** Deletes cookies from a time when the proxy was trusted, which browsers would otherwise keep sending. */
function forgetHostCookies(c: AppContext): void {
  for (const name of [`${HOST}${ACCESS_TOKEN}`, `${HOST}${CSRF_TOKEN}`]) {
    if (getCookie(c, name) !== undefined) deleteCookie(c, name, { path: '/', secure: true });
  }
}

/** Clears the cookies under every name that they may have. */
export function clearSessionCookies(c: AppContext): void {
  const { isHttps: https } = c.var.client;
  for (const prefix of https ? [HOST, ''] : ['']) {
    deleteCookie(c, `${prefix}${ACCESS_TOKEN}`, {
      path: '/',
      secure: https,
      httpOnly: true,
      sameSite: 'Lax',
    });
    deleteCookie(c, `${prefix}${CSRF_TOKEN}`, { path: '/', secure: https, sameSite: 'Strict' });
  }
  if (!https) forgetHostCookies(c);
}

export function accessToken(c: AppContext): string | undefined {
  return getCookie(c, nameOf(c, ACCESS_TOKEN));
}

function nameOf(c: AppContext, name: string): string {
  return c.var.client.isHttps ? `${HOST}${name}` : name;
}

/**
 * Throws `forbidden` when the token or its cookie is missing, when they differ, or when they do not belong to
 * this session: a cookie planted by someone else is useless. Takes the same time for any difference between
 * tokens of equal length. Requests with an API key need no token.
 */
export function requireCsrfToken(c: AppContext, token: string | undefined): void {
  const { credential } = c.var;
  // Pages of other sites cannot send an API key.
  if (credential?.kind === 'api_key') return;
  const cookie = getCookie(c, nameOf(c, CSRF_TOKEN)) ?? '';
  if (cookie === '' || token === undefined || token === '') {
    throw new ServiceError('forbidden', 'CSRF token missing');
  }
  const sent = Buffer.from(token);
  const isRepeated = isSame(Buffer.from(cookie), sent);
  const isOwn = isSame(Buffer.from(credential?.csrfToken ?? ''), sent);
  if (!isRepeated || !isOwn) throw new ServiceError('forbidden', 'CSRF token mismatch');
}

/** Compares in constant time. The length is not secret. */
function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
