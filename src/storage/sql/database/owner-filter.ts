// The only place that decides which rows an owner may read, which it may write, and which lists show.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../../storage.ts';

/** Columns that hold the owner of a row. */
type OwnerColumn =
  | 'threads.user_id'
  | 'runs.user_id'
  | 'run_events.user_id'
  | 'feedback.user_id'
  | 'background_tasks.user_id'
  | 'user_id';

/** Matches the owner's rows and ownerless ones, but no deleted ones. */
export function readableBy(owner: Owner, column: OwnerColumn): RawBuilder<SqlBool> {
  if (owner === UNSCOPED) return isOwned(column);
  return sql<SqlBool>`(${sql.ref(column)} = ${owner} or ${sql.ref(column)} is null)`;
}

/** Matches only the owner's rows. */
export function writableBy(owner: Owner, column: OwnerColumn): RawBuilder<SqlBool> {
  if (owner === UNSCOPED) return isOwned(column);
  return sql<SqlBool>`${sql.ref(column)} = ${owner}`;
}

/** Returns the value of `user_id` in new rows. */
export function stampOf(owner: Owner): string | null {
  return owner === UNSCOPED ? null : owner;
}

/** Returns the user id of the owner. Throws `TypeError` without an owner, which `what` needs. */
export function userOf(owner: Owner, what: string): string {
  if (owner === UNSCOPED) throw new TypeError(`${what} needs an owner`);
  return owner;
}

/** Checks the argument of `Storage.as`. */
export function requireOwner(owner: Owner): Owner {
  if (owner === UNSCOPED || (typeof owner === 'string' && owner !== '')) return owner;
  throw new TypeError('storage.as needs a user id, or UNSCOPED for migrations and the command line');
}

/**
 * A condition on the id of a thread of this owner: lists show it. The subquery runs once for all threads, on
 * an index.
 */
export function isListed(owner: Owner, column: string): RawBuilder<SqlBool> {
  const own = owner === UNSCOPED ? sql`` : sql` where background_tasks.user_id = ${owner}`;
  return sql<SqlBool>`${sql.ref(column)} not in (select background_tasks.thread_id from background_tasks${own})`;
}

// The owners of hidden threads, which are never accounts.

/** The owner until all threads of an import exist. */
const IMPORTED = 'import:';
/** The owner until all rows of a deleted thread are gone. */
const DELETED = 'deleted:';

export function hiddenOwner({ importId }: { readonly importId: string }): string {
  return `${IMPORTED}${importId}`;
}

export function deletedOwner(threadId: string): string {
  return `${DELETED}${threadId}`;
}

/** Whether a thread of this owner is being imported or removed. */
export function isHiddenOwner(userId: string | null): boolean {
  return userId?.startsWith(IMPORTED) === true || isDeletedOwner(userId);
}

export function isDeletedOwner(userId: string | null): boolean {
  return userId?.startsWith(DELETED) === true;
}

/** A condition on the owner of a thread: the thread is not deleted. */
export function isOwned(column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} is null or ${sql.ref(column)} not like ${sql.lit(`${DELETED}%`)})`;
}
