// Imports in progress: until one is complete, its threads belong to it alone.
import type { Migration } from './migration.ts';

export const threadImports: Migration = {
  number: 13,
  name: 'thread imports',
  statements: [
    `create table thread_imports (
      import_id text primary key,
      user_id text not null,
      taken_until bigint not null,
      abandoned integer not null default 0
    )`,
    'create index thread_imports_due on thread_imports (taken_until, import_id)',
  ],
};
