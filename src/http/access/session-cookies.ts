// The two cookies of a session, and what proves that a request is its page's
// (docs/contract/authentication.md#cookies).

import { timingSafeEqual } from 'node:crypto';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

const ACCESS_TOKEN = 'access_token';
const CSRF_TOKEN = 'csrf_token';

/** By https the cookies have names that only this very host can set, so that no site beside it can put others in their place. */
const HOST = '__Host-';

/** What carries the session, by http and by https. */
export const SESSION_COOKIES = { http: ACCESS_TOKEN, https: `${HOST}${ACCESS_TOKEN}` } as const;

interface Transport {
  readonly https: boolean;
}

interface NewSession extends Transport {
  readonly token: string;
  readonly csrfToken: string;
  /** Seconds that the cookies outlive the browser; absent: they end with it. */
  readonly maxAge: number | undefined;
}

export function setSessionCookies(
  c: AppContext,
  { token, csrfToken: csrf, https, maxAge }: NewSession,
): void {
  const shared = { path: '/', secure: https, ...(maxAge !== undefined && { maxAge }) };
  const readable = { ...shared, sameSite: 'Strict' } as const;
  setCookie(c, nameOf(ACCESS_TOKEN, https), token, { ...shared, httpOnly: true, sameSite: 'Lax' });
  setCookie(c, nameOf(CSRF_TOKEN, https), csrf, readable);
  // For programs that look for the plain name; what comes back in it by https is not read.
  if (https) setCookie(c, CSRF_TOKEN, csrf, readable);
  else forgetHostCookies(c);
}

/** Those of a time when the proxy was believed: a browser that still sends them would go on answering with them. */
function forgetHostCookies(c: AppContext): void {
  for (const name of [`${HOST}${ACCESS_TOKEN}`, `${HOST}${CSRF_TOKEN}`]) {
    if (getCookie(c, name) !== undefined) deleteCookie(c, name, { path: '/', secure: true });
  }
}

/** Under every name that they may have. */
export function clearSessionCookies(c: AppContext, { https }: Transport): void {
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

export function accessToken(c: AppContext, { https }: Transport): string | undefined {
  return getCookie(c, nameOf(ACCESS_TOKEN, https));
}

function csrfToken(c: AppContext, { https }: Transport): string | undefined {
  return getCookie(c, nameOf(CSRF_TOKEN, https));
}

function nameOf(name: string, https: boolean): string {
  return https ? `${HOST}${name}` : name;
}

/**
 * Throws `forbidden` when the token or its cookie is missing, when they differ, or when they are not of this session:
 * a cookie that somebody else has put there is of no use. Takes the same time for any difference between tokens of one length. Requests with an API
 * key need none.
 */
export function requireCsrfToken(c: AppContext, token: string | undefined): void {
  const { credential } = c.var;
  // No page of another site can send an API key.
  if (credential?.kind === 'api_key') return;
  const cookie = csrfToken(c, c.var) ?? '';
  if (cookie === '' || token === undefined || token === '') {
    throw new ServiceError('forbidden', 'CSRF token missing');
  }
  const sent = Buffer.from(token);
  const isRepeated = isSame(Buffer.from(cookie), sent);
  const isOwn = isSame(Buffer.from(credential?.csrfToken ?? ''), sent);
  if (!isRepeated || !isOwn) throw new ServiceError('forbidden', 'CSRF token mismatch');
}

/** The length is no secret. */
function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
