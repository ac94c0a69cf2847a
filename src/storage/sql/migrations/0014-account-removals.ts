// What is left to do of the deletion of an account.
import type { Migration } from './migration.ts';

export const accountRemovals: Migration = {
  number: 14,
  name: 'account removals',
  statements: [
    `create table account_removals (
      user_id text primary key,
      deleted_at bigint not null,
      taken_until bigint not null
    )`,
    'create index account_removals_due on account_removals (taken_until, user_id)',
  ],
};
