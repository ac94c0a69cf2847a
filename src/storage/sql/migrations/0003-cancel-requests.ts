// Requests to end runs are looked for often, and there are few.
import type { Migration } from './migration.ts';

export const cancelRequests: Migration = {
  number: 3,
  name: 'cancel requests',
  statements: [
    `create index runs_cancel_requests on runs (lease_owner)
      where status = 'running' and cancel_stop_reason is not null`,
  ],
};
