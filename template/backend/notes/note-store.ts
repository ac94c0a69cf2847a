// Notes, each of one user. Nothing here reads or writes a note without saying whose.
import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from '@hono/zod-openapi';

const [text, time] = [z.string(), z.iso.datetime()];
export const noteSchema = z
  .object({ id: text, title: text, text, version: z.int(), createdAt: time, updatedAt: time })
  .openapi('Note');
export const noteSummarySchema = noteSchema
  .omit({ text: true })
  .extend({ excerpt: z.string().openapi({ description: 'How the text begins.' }) })
  .openapi('NoteSummary');

export type Note = z.infer<typeof noteSchema>;
export type NoteSummary = z.infer<typeof noteSummarySchema>;

type NoteChange = { version: number; title?: string; text?: string };
/** The start of a page: after the note with these. */
type Place = Pick<Note, 'updatedAt' | 'id'>;
/** After everything that has a time. */
const START: Place = { updatedAt: '~', id: '' };

export type NoteStore = ReturnType<typeof createNoteStore>;

export function createNoteStore(database: DatabaseSync, now: () => Date = () => new Date()) {
  const fields = 'version, created_at AS createdAt, updated_at AS updatedAt';
  const insert = database.prepare(
    'INSERT INTO notes (id, user_id, title, text, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  // A page begins after the last note of the one before; the id decides between notes of the same moment.
  const page = database.prepare(
    `SELECT id, title, substr(text, 1, 120) AS excerpt, ${fields} FROM notes
     WHERE user_id = ? AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
  );
  const one = database.prepare(`SELECT id, title, text, ${fields} FROM notes WHERE user_id = ? AND id = ?`);
  const update = database.prepare(
    `UPDATE notes SET title = ?, text = ?, updated_at = ?, version = version + 1
     WHERE user_id = ? AND id = ? AND version = ?`,
  );
  const remove = database.prepare('DELETE FROM notes WHERE user_id = ? AND id = ?');

  const read = (userId: string, id: string): Note | undefined => noteSchema.optional().parse(one.get(userId, id));
  return {
    read,
    /** At most `limit` notes, the one that changed last first, each after `after`. */
    list(userId: string, limit: number, after: Place = START): NoteSummary[] {
      return noteSummarySchema.array().parse(page.all(userId, after.updatedAt, after.id, limit));
    },
    add(userId: string, { title, text }: Pick<Note, 'title' | 'text'>): Note {
      const at = now().toISOString();
      const note = { id: randomUUIDv7(), title, text, version: 1, createdAt: at, updatedAt: at };
      insert.run(note.id, userId, title, text, at, at);
      return note;
    },
    /**
     * Changes the given fields. `undefined` when the user has no such note; `'changed'` when its version is not the
     * given one, because it was saved elsewhere since.
     */
    change(userId: string, id: string, { version, ...change }: NoteChange): Note | 'changed' | undefined {
      const note = read(userId, id);
      if (note === undefined) return;
      const { title = note.title, text = note.text } = change;
      const { changes } = update.run(title, text, now().toISOString(), userId, id, version);
      return changes === 0 ? 'changed' : read(userId, id);
    },
    /** Whether there was one. */
    remove: (userId: string, id: string): boolean => remove.run(userId, id).changes > 0,
  };
}
