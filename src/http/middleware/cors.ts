// Allows cross-origin access for exactly the configured origins (docs/contract/conventions.md#headers).
import type { AppContext, AppMiddleware } from '../api/context.ts';

const EXPOSED = 'Content-Location, Location, X-Pagination-Total, X-Pagination-Next, Mcp-Session-Id';
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Content-Type, X-CSRF-Token, Last-Event-ID, Authorization, X-Api-Key, Idempotency-Key, Prefer, ' +
    'Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
  Vary: 'Origin',
};

/** Does nothing without origins. A preflight is then an unknown request like any other. */
export function cors(origins: readonly string[]): AppMiddleware {
  const allowed: ReadonlySet<string> = new Set(origins);
  return async (c, next) => {
    const origin = c.req.header('origin');
    const isAllowed = origin !== undefined && allowed.has(origin);
    if (isAllowed && isPreflight(c))
      return new Response(null, { status: 204, headers: { ...allowing(origin), ...PREFLIGHT } });
    await next();
    const { headers } = c.res;
    if (allowed.size > 0) headers.append('Vary', 'Origin');
    if (!isAllowed) return undefined;
    for (const [name, value] of Object.entries(allowing(origin))) headers.set(name, value);
    headers.set('Access-Control-Expose-Headers', EXPOSED);
    return undefined;
  };
}

function isPreflight(c: AppContext): boolean {
  return c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
}

function allowing(origin: string) {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' };
}
