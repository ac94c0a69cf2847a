// What a route asks of a request: credentials that are enough for what it does, and a thread that is the user's.
import { notFound, ServiceError, validationFailed } from '../../errors.ts';
import type { AppContext, AppMiddleware } from './context.ts';

/**
 * `read`: changes nothing. `write`: may. `session`: is about the account itself, which no API key reaches. `api_key`: is for
 * programs, and no session reaches it; what it does may ask for more than reading. Only the open ones are for everybody.
 */
export type RouteAccess = OpenAccess | 'read' | 'write' | 'session' | 'api_key';

/** `sign_in`: as `public`, and it looks at the `Origin` instead of a CSRF token, which nobody has yet. */
export type OpenAccess = 'public' | 'sign_in';

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

export function isOpen(access: RouteAccess): access is OpenAccess {
  return access === 'public' || access === 'sign_in';
}

/**
 * Checked before any lookup, so that a refusal does not reveal what exists. Whatever let the request come this far: a
 * route that is not open runs for a user with a credential only.
 */
export function requireAccess(access: RouteAccess): AppMiddleware {
  if (isOpen(access)) return (_c, next) => next();
  return async (c, next) => {
    const { user, credential } = c.var;
    if (user === undefined || credential === undefined)
      throw new ServiceError('not_authenticated', 'Sign in first.');
    if (access === 'write') requireWrite(c);
    if (access === 'session' && credential.kind === 'api_key') {
      throw new ServiceError('forbidden', 'This needs a person who is signed in; an API key is not enough.');
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

/** Throws `forbidden` when the request came with an API key that may only read. */
export function requireWrite(c: AppContext): void {
  if (!mayWrite(c))
    throw new ServiceError('forbidden', "This API key may only read. It lacks the scope 'write'.");
}

export function mayWrite(c: AppContext): boolean {
  const { credential } = c.var;
  return credential !== undefined && (credential.kind === 'session' || credential.mayWrite);
}

const THREAD_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** `read`: the user's own and the ownerless, shared threads. `write`: the user's own only. */
export type ThreadAccess = 'read' | 'write';

/** Whether the text may be the id of a thread (docs/contract/conventions.md#ids-and-times). */
export function isThreadId(text: string): boolean {
  return THREAD_ID.test(text);
}

/** The thread id of the path; throws `validation_failed` for one of the wrong form. */
export function requireThreadId(c: AppContext): string {
  const threadId = c.req.param('thread_id') ?? '';
  if (isThreadId(threadId)) return threadId;
  throw validationFailed(
    ['path', 'thread_id'],
    'A thread id has 1 to 64 letters, digits, "_" and "-".',
    'string_pattern_mismatch',
  );
}

/**
 * 422 for a malformed id; 404 for a thread that does not exist or belongs to another user, which are indistinguishable.
 */
export function ownThread(access: ThreadAccess): AppMiddleware {
  return async (c, next) => {
    const threadId = requireThreadId(c);
    const thread = await c.var.repositories.threads.get(threadId);
    if (thread === undefined || (access === 'write' && thread.userId === null)) throw notFound('Thread');
    c.set('thread', thread);
    await next();
  };
}

/** Throws `forbidden` for everybody else. */
export function requireAdministrator(c: AppContext): void {
  if (c.var.user.systemRole === 'admin') return;
  throw new ServiceError('forbidden', 'Only administrators may do this.');
}
