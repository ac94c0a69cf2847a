// Allows cross-origin access for exactly the configured origins (docs/contract/conventions.md#headers).
import type { AppContext, AppMiddleware } from '../api/context.ts';

const EXPOSED = 'Content-Location, Location, X-Pagination-Total, X-Pagination-Next, Mcp-Session-Id';
const ALLOWED_HEADERS =
  'Content-Type, X-CSRF-Token, Last-Event-ID, Authorization, X-Api-Key, Idempotency-Key, Prefer, ' +
  'Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name';
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/** Does nothing without origins. A preflight is then an unknown request like any other. */
export function cors(origins: readonly string[]): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(origins);
  return async (c, next) => {
    const origin = c.req.header('origin');
    const isAllowed = origin !== undefined && allowed.has(origin);
    if (isAllowed && isPreflight(c)) return preflightResponse(origin);
    await next();
    if (allowed.size > 0) c.res.headers.append('Vary', 'Origin');
    if (isAllowed) allow(c.res.headers, origin);
    return undefined;
  };
}

function isPreflight(c: AppContext): boolean {
  return c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
}

function preflightResponse(origin: string): Response {
  const headers = new Headers([
    ...sharedHeaders(origin),
    ['Access-Control-Allow-Methods', ALLOWED_METHODS],
    ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
    ['Access-Control-Max-Age', PREFLIGHT_SECONDS],
    ['Vary', 'Origin'],
  ]);
  return new Response(null, { status: 204, headers });
}

function allow(headers: Headers, origin: string): void {
  for (const [name, value] of sharedHeaders(origin)) headers.set(name, value);
  headers.set('Access-Control-Expose-Headers', EXPOSED);
}

function sharedHeaders(origin: string): [string, string][] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Credentials', 'true'],
  ];
}
