// Messages that are changed after they were said: what tells so, and of which message it tells.
import type { Migration } from './migration.ts';

export const messageRevisions: Migration = {
  number: 19,
  name: 'message revisions',
  statements: [
    'alter table run_events add column revised_by bigint',
    'alter table run_events add column revises bigint',
  ],
};
