// Checks that the thread of a `{thread_id}` route is the user's (docs/contract/conventions.md#owners).
import { notFound, validationFailed } from '../../errors.ts';
import type { AppContext, AppMiddleware } from './context.ts';

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

/** 422 for an id of the wrong form, 404 for a thread that is absent or somebody else's, which look the same. */
export function ownThread(access: ThreadAccess): AppMiddleware {
  return async (c, next) => {
    const threadId = requireThreadId(c);
    const thread = await c.var.repositories.threads.get(threadId);
    if (thread === undefined || (access === 'write' && thread.userId === null)) throw notFound('Thread');
    c.set('thread', thread);
    await next();
  };
}
