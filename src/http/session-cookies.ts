// The two cookies of a session (decisions, section 2, cookies).
import { randomBytes } from 'node:crypto';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { AppContext } from './context.ts';

const ACCESS_TOKEN = 'access_token';
const CSRF_TOKEN = 'csrf_token';

export interface NewSession {
  readonly token: string;
  readonly https: boolean;
  /** Seconds that the cookies outlive the browser; absent: they end with it. */
  readonly maxAge: number | undefined;
}

export function setSessionCookies(c: AppContext, { token, https, maxAge }: NewSession): void {
  const shared = { path: '/', secure: https, ...(maxAge !== undefined && { maxAge }) };
  setCookie(c, ACCESS_TOKEN, token, { ...shared, httpOnly: true, sameSite: 'Lax' });
  setCookie(c, CSRF_TOKEN, randomBytes(32).toString('base64url'), { ...shared, sameSite: 'Strict' });
}

export function clearSessionCookies(c: AppContext, { https }: { readonly https: boolean }): void {
  deleteCookie(c, ACCESS_TOKEN, { path: '/', secure: https, httpOnly: true, sameSite: 'Lax' });
  deleteCookie(c, CSRF_TOKEN, { path: '/', secure: https, sameSite: 'Strict' });
}

export function accessToken(c: AppContext): string | undefined {
  return getCookie(c, ACCESS_TOKEN);
}

export function csrfToken(c: AppContext): string | undefined {
  return getCookie(c, CSRF_TOKEN);
}
