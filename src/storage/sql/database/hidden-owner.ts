// The owners of hidden threads, which can never be accounts.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Until all threads of an import are there. */
const IMPORTED = 'import:';
/** Until all rows of a deleted thread are gone. */
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

/** On the owner of a thread: it is not deleted. */
export function isOwned(column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(column)} is null or ${sql.ref(column)} not like ${sql.lit(`${DELETED}%`)})`;
}
