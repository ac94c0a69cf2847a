// What programs keep for a user, by namespace and key.
import { guarded, type Migration } from './migration.ts';

export const storeItems: Migration = {
  number: 28,
  name: 'store items',
  statements: [
    `create table store_items (
      user_id text not null,
      namespace text not null,
      key text not null,
      created_at bigint not null,
      updated_at bigint not null,
      ttl_ms bigint,
      expires_at bigint,
      bytes integer not null,
      value text not null,
      primary key (user_id, namespace, key)
    )`,
    'create index store_items_newest on store_items (user_id, updated_at, namespace, key)',
    'create index store_items_use on store_items (user_id, bytes)',
    'create index store_items_expiring on store_items (expires_at) where expires_at is not null',
  ],
  postgres: guarded('store_items'),
};
