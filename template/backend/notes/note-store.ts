// Notes, each of one user. Nothing here reads or writes a note without saying whose.
import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from '@hono/zod-openapi';

const [text, time] = [z.string(), z.iso.datetime()];
export const noteSchema = z.object({ id: text, title: text, text, createdAt: time, updatedAt: time }).openapi('Note');
export const noteSummarySchema = noteSchema
  .omit({ text: true })
  .extend({ excerpt: z.string().openapi({ description: 'How the text begins.' }) })
  .openapi('NoteSummary');

export type Note = z.infer<typeof noteSchema>;
export type NoteSummary = z.infer<typeof noteSummarySchema>;

export type NoteStore = ReturnType<typeof createNoteStore>;

export function createNoteStore(database: DatabaseSync, now: () => Date = () => new Date()) {
  const times = 'created_at AS createdAt, updated_at AS updatedAt';
  const insert = database.prepare(
    'INSERT INTO notes (id, user_id, title, text, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  // Ids grow with time, so the newest come first and a page begins after the last id of the one before.
  const page = database.prepare(
    `SELECT id, title, substr(text, 1, 120) AS excerpt, ${times} FROM notes
     WHERE user_id = ? AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`,
  );
  const one = database.prepare(`SELECT id, title, text, ${times} FROM notes WHERE user_id = ? AND id = ?`);
  const update = database.prepare('UPDATE notes SET title = ?, text = ?, updated_at = ? WHERE user_id = ? AND id = ?');
  const remove = database.prepare('DELETE FROM notes WHERE user_id = ? AND id = ?');

  const read = (userId: string, id: string): Note | undefined => noteSchema.optional().parse(one.get(userId, id));
  return {
    read,
    /** At most `limit` notes, newest first, after the one with the id `after`. */
    list(userId: string, limit: number, after: string | null = null): NoteSummary[] {
      return noteSummarySchema.array().parse(page.all(userId, after, after, limit));
    },
    add(userId: string, { title, text }: Pick<Note, 'title' | 'text'>): Note {
      const at = now().toISOString();
      const note = { id: randomUUIDv7(), title, text, createdAt: at, updatedAt: at };
      insert.run(note.id, userId, title, text, at, at);
      return note;
    },
    /** Fields that are left out stay. `undefined` when the user has no such note. */
    change(userId: string, id: string, change: { title?: string; text?: string }): Note | undefined {
      const note = read(userId, id);
      if (note === undefined) return;
      const { title = note.title, text = note.text } = change;
      update.run(title, text, now().toISOString(), userId, id);
      return read(userId, id);
    },
    /** Whether there was one. */
    remove: (userId: string, id: string): boolean => remove.run(userId, id).changes > 0,
  };
}
