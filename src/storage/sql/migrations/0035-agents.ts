// Agents that people define, each change of one as a version of its own.
import { guarded, type Migration } from './migration.ts';

export const agents: Migration = {
  number: 35,
  name: 'agents',
  statements: [
    `create table agents (
      agent_id text not null primary key,
      user_id text not null,
      name text not null,
      version integer not null,
      is_shared integer not null,
      created_at bigint not null,
      updated_at bigint not null,
      deleted_at bigint
    )`,
    'create unique index agents_name on agents (user_id, name) where deleted_at is null',
    'create index agents_owner on agents (user_id)',
    'create index agents_shared on agents (name) where is_shared = 1',
    'create index agents_deleted on agents (deleted_at) where deleted_at is not null',
    `create table agent_versions (
      agent_id text not null,
      version integer not null,
      user_id text not null,
      created_at bigint not null,
      definition text not null,
      primary key (agent_id, version)
    )`,
    'create index agent_versions_owner on agent_versions (user_id)',
  ],
  postgres: [
    ...guarded('agents'),
    'create policy shared on agents for select using (is_shared = 1)',
    ...guarded('agent_versions'),
    `create policy shared on agent_versions for select using (
      exists (select 1 from agents where agents.agent_id = agent_versions.agent_id and is_shared = 1))`,
  ],
};
