// Headers that restrict what browsers may do with a response.
import type { AppMiddleware } from '../api/context.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', CONTENT_SECURITY_POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  // Responses are personal. The files of the web app set their own value.
  ['Cache-Control', 'no-store'],
];

/**
 * Sets each header unless the route has. Sends `Strict-Transport-Security` only over https, and not if
 * `hstsSeconds` is 0.
 */
export function securityHeaders({ hstsSeconds }: { readonly hstsSeconds: number }): AppMiddleware {
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    for (const [name, value] of HEADERS) if (!headers.has(name)) headers.set(name, value);
    if (hstsSeconds > 0 && c.var.client.isHttps)
      headers.set('Strict-Transport-Security', `max-age=${hstsSeconds}`);
  };
}
