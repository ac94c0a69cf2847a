// What is set aside of people's days for model calls that go on.
import type { Migration } from './migration.ts';

export const budgetReservations: Migration = {
  number: 17,
  name: 'budget reservations',
  statements: [
    `create table budget_reservations (
      reservation_id text primary key,
      run_id text not null references runs (run_id) on delete cascade,
      attempt integer not null,
      user_id text not null,
      day text not null,
      currency text not null,
      tokens bigint not null,
      cost_nanos bigint not null
    )`,
    'create index budget_reservations_user on budget_reservations (user_id, day)',
    'create index budget_reservations_run on budget_reservations (run_id)',
  ],
};
