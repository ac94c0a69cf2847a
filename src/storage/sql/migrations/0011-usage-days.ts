// What people spend on models, by day.
import type { Migration } from './migration.ts';

export const usageDays: Migration = {
  number: 11,
  name: 'usage by day',
  statements: [
    // No foreign key: what was spent stays spent when threads, runs and models are gone.
    `create table usage_days (
      user_id text not null,
      day text not null,
      model text not null,
      currency text not null,
      calls bigint not null,
      tokens bigint not null,
      input_tokens bigint not null,
      cached_input_tokens bigint not null,
      output_tokens bigint not null,
      cost_nanos bigint not null,
      primary key (user_id, day, model, currency)
    )`,
  ],
};
