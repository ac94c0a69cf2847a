// What a route does to what its user owns, and which credentials are enough for that.
import { ServiceError } from '../errors.ts';
import type { AppContext, AppMiddleware } from './context.ts';

/** `read`: changes nothing. `write`: may. `session`: is about the account itself, which no API key reaches. */
export type RouteAccess = 'read' | 'write' | 'session';

/** What a route needs that does not say: whatever is no GET may change something. */
export function accessOf({
  method,
  access,
}: {
  readonly method: string;
  readonly access?: RouteAccess;
}): RouteAccess {
  return access ?? (method === 'get' ? 'read' : 'write');
}

/** Before anything is looked up, so that a refusal says nothing about what there is. */
export function requireAccess(access: RouteAccess): AppMiddleware {
  return async (c, next) => {
    if (access === 'write') requireWrite(c);
    if (access === 'session' && c.var.credential?.kind === 'api_key') {
      throw new ServiceError('forbidden', 'This needs a person who is signed in; an API key is not enough.');
    }
    await next();
  };
}

/** Throws `forbidden` when the request came with an API key that may only read. */
export function requireWrite(c: AppContext): void {
  if (!mayWrite(c))
    throw new ServiceError('forbidden', "This API key may only read. It lacks the scope 'write'.");
}

export function mayWrite(c: AppContext): boolean {
  return c.var.credential?.kind !== 'api_key' || c.var.credential.mayWrite;
}
