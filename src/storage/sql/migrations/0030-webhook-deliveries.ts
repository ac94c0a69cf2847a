// Calls to webhooks of runs: one for each run that has one, from its admission until it is delivered or given up.
import { OWNER_SETTING } from '../database/row-security.ts';
import type { Migration } from './migration.ts';

const OWN_OR_SHARED = `(user_id = (select current_setting('${OWNER_SETTING}', true)) or user_id is null)`;

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
  postgres: [
    `create policy owners on webhook_deliveries using (${OWN_OR_SHARED}) with check (${OWN_OR_SHARED})`,
    'alter table webhook_deliveries enable row level security',
  ],
};
