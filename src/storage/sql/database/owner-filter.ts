// Which rows an owner may read, which it may write, and which lists show: the one place that decides it.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../../storage.ts';
import { isOwned } from './hidden-owner.ts';

/** Columns that say whose row it is. */
type OwnerColumn =
  | 'threads.user_id'
  | 'runs.user_id'
  | 'run_events.user_id'
  | 'feedback.user_id'
  | 'background_tasks.user_id'
  | 'user_id';

/** The owner's rows and the ownerless ones. What is deleted is nobody's. */
export function readableBy(owner: Owner, column: OwnerColumn): RawBuilder<SqlBool> {
  if (owner === UNSCOPED) return isOwned(column);
  return sql<SqlBool>`(${sql.ref(column)} = ${owner} or ${sql.ref(column)} is null)`;
}

/** The owner's rows only. */
export function writableBy(owner: Owner, column: OwnerColumn): RawBuilder<SqlBool> {
  if (owner === UNSCOPED) return isOwned(column);
  return sql<SqlBool>`${sql.ref(column)} = ${owner}`;
}

/** What a new row carries in `user_id`. */
export function stampOf(owner: Owner): string | null {
  return owner === UNSCOPED ? null : owner;
}

/** The check at the door of `Storage.as`. */
export function requireOwner(owner: Owner): Owner {
  if (owner === UNSCOPED || (typeof owner === 'string' && owner !== '')) return owner;
  throw new TypeError('storage.as needs a user id, or UNSCOPED for migrations and the command line');
}

/** On the id of a thread of this owner. What is asked for it is asked once for all threads, of an index. */
export function isListed(owner: Owner, column: string): RawBuilder<SqlBool> {
  const own = owner === UNSCOPED ? sql`` : sql` where background_tasks.user_id = ${owner}`;
  return sql<SqlBool>`${sql.ref(column)} not in (select background_tasks.thread_id from background_tasks${own})`;
}
