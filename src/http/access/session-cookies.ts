// The two cookies of a session (docs/contract/authentication.md#cookies).
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
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

export interface NewSession extends Transport {
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

export function csrfToken(c: AppContext, { https }: Transport): string | undefined {
  return getCookie(c, nameOf(CSRF_TOKEN, https));
}

function nameOf(name: string, https: boolean): string {
  return https ? `${HOST}${name}` : name;
}
