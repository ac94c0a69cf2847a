// Every table there is: what takes its rows away with their account and with their thread.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { PERSONAL_TABLES } from '../../src/storage/sql/database/account-tables.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

/** Tables that no list and no foreign key takes care of, and what does. */
const WITH_THEIR_ACCOUNT: Readonly<Record<string, string>> = {
  threads: 'each is deleted as a thread',
  thread_imports: 'they are abandoned, and cleared away as such',
  thread_removals: 'notes of deletions, which end with them',
  account_removals: 'notes of deletions, which end with them',
};
const WITH_THEIR_THREAD: Readonly<Record<string, string>> = {
  thread_removals: 'notes of deletions, which end with them',
  checkpoints: 'removed a page at a time, because copies of the thread may still need some',
  schedules: 'a schedule outlives its thread, and is paused then',
  schedule_fires: 'they go with their schedule',
  background_tasks: 'orphaned with their parent, and cleared away as such',
};

async function schema() {
  const path = join(await temporaryFolder(), 'service.db');
  await (await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG })).close();
  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  const names = (query: string) =>
    database
      .prepare(query)
      .all()
      .map(({ name }) => String(name));
  const having = (column: string) =>
    names(`select m.name from sqlite_master as m join pragma_table_info(m.name) as c
      where m.type = 'table' and c.name = '${column}' order by m.name`);
  /** Tables whose rows SQL itself deletes with a row of this one. */
  const cascading = (parent: string) =>
    names(`select m.name from sqlite_master as m join pragma_foreign_key_list(m.name) as k
      where m.type = 'table' and k."table" = '${parent}' and k.on_delete = 'CASCADE'`);
  return { having, cascading };
}

it('[account.delete.everywhere] every table with rows of people goes with their account', async () => {
  const { having, cascading } = await schema();
  const gone = new Set<string>([...PERSONAL_TABLES, ...cascading('threads'), ...cascading('runs')]);
  const left = having('user_id').filter((table) => !gone.has(table));
  expect(left).toEqual(Object.keys(WITH_THEIR_ACCOUNT).toSorted());
});

it('[threads.delete.everywhere] every table with rows of threads goes with their thread', async () => {
  const { having, cascading } = await schema();
  const gone = new Set(['threads', ...cascading('threads')]);
  const left = having('thread_id').filter((table) => !gone.has(table));
  expect(left).toEqual(Object.keys(WITH_THEIR_THREAD).toSorted());
});
