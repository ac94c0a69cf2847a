// Who claimed a run, and from which place of its log on what is there is theirs.
import type { Migration } from './migration.ts';

export const runEpochs: Migration = {
  number: 41,
  name: 'run epochs',
  statements: ['alter table runs add column epochs text'],
};
