// Provides the request target to later middleware and to the router.
import { invalid } from '../../errors.ts';
import type { AppEnv, AppMiddleware } from '../api/context.ts';
import { readTarget, type TargetReading } from '../transport/request-target.ts';

/** Sets `target` as the server has read it, or reads it from a request without a socket. Throws `invalid`. */
export const requestTarget: AppMiddleware = async (c, next) => {
  const given = c.env?.target;
  const reading = given === undefined ? targetWithoutSocket(c.req.raw) : { ok: true as const, target: given };
  if (!reading.ok) throw invalid(reading.detail);
  c.set('target', reading.target);
  await next();
};

/** Returns the path for routing: the same one that decides what is public, neither decoded nor normalised. */
export function routedPath(request: Request, options?: { readonly env?: AppEnv['Bindings'] }): string {
  return options?.env?.target?.path ?? new URL(request.url).pathname;
}

function targetWithoutSocket(request: Request): TargetReading {
  const { pathname, search, host } = new URL(request.url);
  return readTarget({
    method: request.method,
    target: `${pathname}${search}`,
    hosts: [request.headers.get('host') ?? host],
  });
}
