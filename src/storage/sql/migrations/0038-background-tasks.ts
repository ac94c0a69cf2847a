// Tasks that go on behind the answer of the agent that gave them, on threads of their own that no list shows.
import { guarded, type Migration } from './migration.ts';

export const backgroundTasks: Migration = {
  number: 38,
  name: 'background-tasks',
  statements: [
    `create table background_tasks (
      task_id text primary key,
      user_id text not null,
      parent_thread_id text not null,
      parent_run_id text not null,
      call_id text not null,
      thread_id text not null unique,
      run_id text,
      subagent text not null,
      description text not null,
      prompt text not null,
      state text not null,
      settled integer not null,
      due_at bigint not null,
      leased_until bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index background_tasks_due on background_tasks (due_at) where settled = 0',
    'create index background_tasks_parent on background_tasks (parent_thread_id, created_at)',
    'create index background_tasks_owner on background_tasks (user_id, thread_id)',
  ],
  postgres: guarded('background_tasks'),
};
