// Which threads lists and searches show: not those on which tasks go on in the background.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../../storage.ts';

/** On the id of a thread of this owner. What is asked for it is asked once for all threads, of an index. */
export function isListed(owner: Owner, column: string): RawBuilder<SqlBool> {
  const own = owner === UNSCOPED ? sql`` : sql` where background_tasks.user_id = ${owner}`;
  return sql<SqlBool>`${sql.ref(column)} not in (select background_tasks.thread_id from background_tasks${own})`;
}
