// Searches every table of a SQLite file. A new table is covered automatically.
import { DatabaseSync } from 'node:sqlite';
import { unpackText } from '../../src/storage/sql/database/packed-text.ts';

/**
 * Returns the rows that contain one of the texts, as `table: row`. Packed texts are unpacked. The words of
 * the search index, which has no texts, are those of its documents.
 */
export function rowsWith(path: string, texts: readonly string[]): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const tables = database
      .prepare(`select name from sqlite_master where type = 'table' and name not like 'search_words%'`)
      .all();
    return tables.flatMap(({ name }) =>
      database
        .prepare(`select * from ${name}`)
        .all()
        .map((row) => `${name}: ${Object.values(row).map(readable).join(' | ')}`)
        .filter((row) => texts.some((text) => row.includes(text))),
    );
  } finally {
    database.close();
  }
}

/** Returns the number of entries of the search index with this word. */
export function indexedWith(path: string, word: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const query = 'select count(*) as n from search_words where search_words match ?';
    return Number(database.prepare(query).get(word)?.n);
  } finally {
    database.close();
  }
}

function readable(value: unknown): string {
  return value instanceof Uint8Array ? unpackText(value) : String(value);
}
