// Calls to webhooks of runs: one for each run that has one, from its admission until it is delivered or given up.
import { guarded, type Migration, OWN_OR_SHARED } from './migration.ts';

export const webhookDeliveries: Migration = {
  number: 30,
  name: 'webhook deliveries',
  statements: [
    `create table webhook_deliveries (
      run_id text primary key references runs (run_id) on delete cascade,
      user_id text,
      url text not null,
      status text not null,
      attempts integer not null,
      next_at bigint not null,
      last_status integer,
      last_error text,
      updated_at bigint not null
    )`,
    `create index webhook_deliveries_due on webhook_deliveries (next_at) where status = 'pending'`,
  ],
  postgres: guarded('webhook_deliveries', OWN_OR_SHARED),
};
