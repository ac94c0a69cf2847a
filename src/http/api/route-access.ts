// The access that a route requires: sufficient credentials, and a thread of the user.
import { notFound, ServiceError, validationFailed } from '../../errors.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { AppContext, AppMiddleware } from './context.ts';

/**
 * `read` changes nothing; `write` may. `session` concerns the account itself and refuses API keys. `api_key`
 * is for programs and refuses sessions; it may require more than reading. Only open routes serve everyone.
 */
export type RouteAccess = OpenAccess | 'read' | 'write' | 'session' | 'api_key';

/** `sign_in` is like `public`, but checks the `Origin`, because no client has a CSRF token yet. */
export type OpenAccess = 'public' | 'sign_in';

/** Returns the access of a route. By default, every method except GET may change something. */
export function accessOf({
  method,
  access,
}: {
  readonly method: string;
  readonly access?: RouteAccess;
}): RouteAccess {
  return access ?? (method === 'get' ? 'read' : 'write');
}

export function isOpen(access: RouteAccess): access is OpenAccess {
  return access === 'public' || access === 'sign_in';
}

/**
 * Checks access before any lookup, so that a refusal does not reveal what exists. However the request got
 * this far, a route that is not open runs only for a user with a credential.
 */
export function requireAccess(access: RouteAccess): AppMiddleware {
  if (isOpen(access)) return (_c, next) => next();
  return async (c, next) => {
    const { user, credential } = c.var;
    if (user === undefined || credential === undefined)
      throw new ServiceError('not_authenticated', 'Sign in first.');
    if (access === 'write') requireWrite(c);
    if (access === 'session' && credential.kind === 'api_key') {
      throw new ServiceError('forbidden', 'This needs a signed-in person; an API key is not enough.');
    }
    if (access === 'api_key' && credential.kind !== 'api_key') {
      throw new ServiceError(
        'forbidden',
        'This is for programs: send an API key as `Authorization: Bearer <key>`.',
      );
    }
    await next();
  };
}

/** Throws `forbidden` when the request has an API key that may only read. */
export function requireWrite(c: AppContext): void {
  if (!mayWrite(c))
    throw new ServiceError('forbidden', "This API key may only read. It lacks the scope 'write'.");
}

export function mayWrite(c: AppContext): boolean {
  const { credential } = c.var;
  return credential !== undefined && (credential.kind === 'session' || credential.mayWrite);
}

const THREAD_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * `read` covers the user's own threads and the ownerless, shared ones. `write` covers only the user's own.
 */
export type ThreadAccess = 'read' | 'write';

/** Whether the text is a well-formed thread id (docs/contract/conventions.md#ids-and-times). */
export function isThreadId(text: string): boolean {
  return THREAD_ID.test(text);
}

/** Returns a parameter that the path of the route has. */
export function pathParam(c: AppContext, name: string): string {
  return c.req.param(name) ?? '';
}

/** Returns the thread id of the path. Throws `validation_failed` for a malformed one. */
export function requireThreadId(c: AppContext): string {
  const threadId = pathParam(c, 'thread_id');
  if (isThreadId(threadId)) return threadId;
  throw validationFailed(
    ['path', 'thread_id'],
    'A thread id has 1 to 64 letters, digits, "_" and "-".',
    'string_pattern_mismatch',
  );
}

/**
 * Returns the thread. Throws `not_found` both for a missing one and for one of another user, so that the two
 * are indistinguishable.
 */
export async function findThread(
  { var: { repositories } }: AppContext,
  threadId: string,
  access: ThreadAccess,
): Promise<ThreadRecord> {
  const thread = await repositories.threads.get(threadId);
  if (thread === undefined || (access === 'write' && thread.userId === null)) throw notFound('Thread');
  return thread;
}

/** Loads the thread of the path. Responds 422 for a malformed id. */
export function ownThread(access: ThreadAccess): AppMiddleware {
  return async (c, next) => {
    c.set('thread', await findThread(c, requireThreadId(c), access));
    await next();
  };
}

/** Who acts in a request, for services that distinguish administrators. */
export function actorOf(c: AppContext) {
  const { user, client } = c.var;
  return { userId: user.id, isAdministrator: user.systemRole === 'admin', clientIp: client.ip };
}

/** Throws `forbidden` unless the user is an administrator. */
export function requireAdministrator(c: AppContext): void {
  if (actorOf(c).isAdministrator) return;
  throw new ServiceError('forbidden', 'Only administrators can do this.');
}
