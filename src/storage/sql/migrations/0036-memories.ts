// What agents remember of a person, who has switched that off, and the questions of threads that are still to be read
// for it.
import { guarded, type Migration } from './migration.ts';

export const memories: Migration = {
  number: 36,
  name: 'memories',
  statements: [
    `create table memories (
      user_id text not null,
      agent text not null,
      revision integer not null,
      updated_at bigint not null,
      facts text not null,
      previous text,
      primary key (user_id, agent)
    )`,
    'create table memory_switches (user_id text primary key)',
    `create table memory_jobs (
      thread_id text not null references threads (thread_id) on delete cascade,
      agent text not null,
      user_id text not null,
      run_id text not null,
      questions text not null,
      due_at bigint not null,
      attempts integer not null,
      leased_until bigint not null,
      primary key (thread_id, agent)
    )`,
    'create index memory_jobs_due on memory_jobs (due_at)',
    'create index memory_jobs_owner on memory_jobs (user_id)',
  ],
  postgres: [...guarded('memories'), ...guarded('memory_switches'), ...guarded('memory_jobs')],
};
