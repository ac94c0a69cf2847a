// Whose thread has an entry of metadata stands beside the entry, so that a user's entries are counted in the index alone.
import type { Migration } from './migration.ts';

export const metadataOwners: Migration = {
  number: 22,
  name: 'metadata owners',
  statements: [
    'drop index thread_metadata_entry',
    'alter table thread_metadata add column user_id text',
    `update thread_metadata set user_id =
      (select threads.user_id from threads where threads.thread_id = thread_metadata.thread_id)`,
    'create index thread_metadata_owner on thread_metadata (entry_hash, user_id, thread_id)',
    'create index threads_owner on threads (user_id, thread_id)',
  ],
};
