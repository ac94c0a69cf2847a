// On Postgres, rows that were seen with their run or thread say whose they are, so that nothing has to be looked up
// for each of them. What is ownerless stays so when its thread is given to somebody: a copy may see it.
import { type Migration, OWN_OR_SHARED } from './migration.ts';

/** A thread that is being imported belongs to its import; what it holds, to who imports it. */
const OWNERS = `select threads.thread_id, coalesce(thread_imports.user_id, threads.user_id) as user_id,
    coalesce(threads.copy_family, threads.thread_id) as family
  from threads left join thread_imports on threads.user_id = 'import:' || thread_imports.import_id`;

const TABLES = ['run_frames', 'trace_contents', 'checkpoints'];

export const rowOwners: Migration = {
  number: 23,
  name: 'row owners',
  statements: [],
  postgres: [
    ...TABLES.map((table) => `alter table ${table} add column user_id text collate "C"`),
    `update run_frames set user_id = runs.user_id from runs
      where runs.run_id = run_frames.run_id and runs.user_id is not null`,
    `update trace_contents set user_id = owners.user_id from (${OWNERS}) as owners
      where owners.thread_id = trace_contents.thread_id and owners.user_id is not null`,
    // Threads of several owners that have a past in common have it from a thread that was shared.
    `with owners as (${OWNERS}),
      families as (select family from owners group by family having count(distinct coalesce(user_id, '')) = 1)
      update checkpoints set user_id = owners.user_id from owners join families on families.family = owners.family
      where owners.thread_id = checkpoints.thread_id and owners.user_id is not null`,
    ...TABLES.map(
      (table) => `alter policy owners on ${table} using (${OWN_OR_SHARED}) with check (${OWN_OR_SHARED})`,
    ),
    'drop function family_of_thread(text)',
  ],
};
