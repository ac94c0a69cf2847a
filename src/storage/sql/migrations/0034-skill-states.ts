// Which skills are off, for a user or (without one) for everybody, and which custom skills are being changed.
import { guarded, type Migration, OWN } from './migration.ts';

export const skillStates: Migration = {
  number: 34,
  name: 'skill states',
  statements: [
    `create table skill_switches (
      user_id text,
      path text not null
    )`,
    `create unique index skill_switches_path on skill_switches (coalesce(user_id, ''), path)`,
    'create index skill_switches_owner on skill_switches (user_id)',
    `create table skill_claims (
      user_id text not null,
      name text not null,
      holder text not null,
      taken_until bigint not null,
      primary key (user_id, name)
    )`,
  ],
  postgres: [...guarded('skill_switches', `${OWN} or user_id is null`, OWN), ...guarded('skill_claims')],
};
