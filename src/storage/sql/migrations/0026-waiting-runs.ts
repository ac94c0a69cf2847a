// Runs that wait are found by whose they are: users take turns, and each may have only so many of them.
import type { Migration } from './migration.ts';

export const waitingRuns: Migration = {
  number: 26,
  name: 'waiting runs',
  statements: [`create index runs_waiting on runs (user_id, created_at, run_id) where status = 'pending'`],
};
