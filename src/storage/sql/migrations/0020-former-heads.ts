// Where a thread stood before a run that began at an older checkpoint: a rollback goes back there.
import type { Migration } from './migration.ts';

export const formerHeads: Migration = {
  number: 20,
  name: 'former heads',
  statements: ['alter table runs add column former_head_id text'],
};
