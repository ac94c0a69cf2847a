// What metadata takes is added up for the quota of its owner: an index of the sizes alone, without empty ones (`{}`).
import type { Migration } from './migration.ts';

export const metadataSizes: Migration = {
  number: 27,
  name: 'metadata sizes',
  statements: [
    `create index threads_metadata_size on threads (user_id, thread_id, octet_length(metadata))
      where octet_length(metadata) > 2`,
    `create index runs_metadata_size on runs (user_id, run_id, octet_length(metadata))
      where octet_length(metadata) > 2`,
  ],
};
