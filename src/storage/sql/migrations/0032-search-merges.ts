// The word index of SQLite no longer merges its parts within the transactions of those who write: up to megabytes at once.
import type { Migration } from './migration.ts';

export const searchMerges: Migration = {
  number: 32,
  name: 'search merges',
  statements: [],
  sqlite: [`insert into search_words (search_words, rank) values ('automerge', 0)`],
};
