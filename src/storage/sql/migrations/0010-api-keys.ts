// Personal API keys.
import type { Migration } from './migration.ts';

/** No foreign key: a key whose owner is gone is told apart from one that never was. */
export const apiKeys: Migration = {
  number: 10,
  name: 'api keys',
  statements: [
    `create table api_keys (
      key_id text primary key,
      user_id text not null,
      name text not null,
      hint text not null,
      hash text not null,
      scopes text not null,
      created_at bigint not null,
      expires_at bigint,
      last_used_at bigint
    )`,
    'create unique index api_keys_hash on api_keys (hash)',
    'create index api_keys_user on api_keys (user_id, created_at, key_id)',
  ],
};
