// Sub-agents have their own checkpoints, in a namespace of the thread.
import type { Migration } from './migration.ts';

export const subagentCheckpoints: Migration = {
  number: 6,
  name: 'checkpoints of sub-agents',
  statements: [`alter table checkpoints add column namespace text not null default ''`],
};
