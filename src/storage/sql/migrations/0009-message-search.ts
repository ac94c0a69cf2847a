// The index of the words in titles and messages, and which threads are still to be indexed.
import type { Migration } from './migration.ts';

/** A title has no `seq`: its row goes with the thread, that of a message also with its event. */
const REFERENCES = `references threads (thread_id) on delete cascade,
    foreign key (thread_id, seq) references run_events (thread_id, seq) on delete cascade`;

const BY_THREAD = 'create unique index search_docs_thread on search_docs (thread_id, seq)';

export const messageSearch: Migration = {
  number: 9,
  name: 'message search',
  statements: [
    `create table search_backlog (
      thread_id text primary key references threads (thread_id) on delete cascade,
      after_seq bigint not null
    )`,
    'insert into search_backlog (thread_id, after_seq) select thread_id, 0 from threads',
  ],
  /** No text, no positions: the words are looked up here, and phrases and snippets are read from the record. */
  sqlite: [
    `create table search_docs (
      doc_id integer primary key,
      seq bigint,
      thread_id text not null ${REFERENCES}
    )`,
    BY_THREAD,
    `create virtual table search_words using fts5 (
      words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
    )`,
    `create trigger search_docs_deleted after delete on search_docs begin
      delete from search_words where rowid = old.doc_id;
    end`,
  ],
  postgres: [
    `create table search_docs (
      doc_id bigint generated always as identity primary key,
      seq bigint,
      words tsvector not null,
      thread_id text collate "C" not null ${REFERENCES}
    )`,
    BY_THREAD,
    'create index search_docs_titles on search_docs (doc_id) where seq is null',
    'create index search_docs_words on search_docs using gin (words) with (gin_pending_list_limit = 512)',
  ],
};
