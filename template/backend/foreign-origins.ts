// Pages of other origins change nothing here: browsers say where such a request comes from. Other clients say nothing.
import type { MiddlewareHandler } from 'hono';
import { ApiError } from './errors.ts';

/** Beside the listed ones, the origin that the request itself went to is allowed. */
export function refuseForeignOrigins(listed: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin !== undefined && !['GET', 'HEAD', 'OPTIONS'].includes(c.req.method) && !listed.includes(origin)) {
      // The frontend's server names the host that it was asked by; a page of another origin cannot set that header.
      const host = c.req.header('x-forwarded-host') ?? c.req.header('host');
      if (!URL.canParse(origin) || new URL(origin).host !== host) throw new ApiError(403, refusal(origin, host));
    }
    await next();
  };
}

/** A person who sets up a proxy reads this first, so it says what to change. */
function refusal(origin: string, host = 'an unnamed host'): string {
  const seen = `The page is from ${origin}, but the request is for ${host}.`;
  return `${seen} A proxy in front of this app must pass the Host header on; other sites belong into api.cors.origins.`;
}
