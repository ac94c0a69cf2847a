// One SQLite file in the data folder, and the steps that brought it to its present shape.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Each step runs once, in this order. Never change one that has been released: add the next. */
const STEPS = [
  `CREATE TABLE users (
     id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL
   ) STRICT;
   CREATE TABLE notes (
     id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
     title TEXT NOT NULL, text TEXT NOT NULL,
     created_at TEXT NOT NULL, updated_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX notes_by_user ON notes (user_id, id);`,
  `CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
     ends_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_user ON sessions (user_id);
   CREATE INDEX sessions_by_end ON sessions (ends_at);
   ALTER TABLE notes ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
   DROP INDEX notes_by_user;
   CREATE INDEX notes_by_change ON notes (user_id, updated_at, id);`,
];

export function openDatabase(folder: string): DatabaseSync {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(folder, 'app.db'), { timeout: 5_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
  return database;
}

export function migrate(database: DatabaseSync): void {
  const done = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  for (const [index, step] of STEPS.entries()) {
    if (index < done) continue;
    database.exec(`BEGIN IMMEDIATE; ${step} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
