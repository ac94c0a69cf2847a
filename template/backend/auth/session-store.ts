// The sessions that are open. A session that is not here is over, whatever its token says.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type User, userSchema } from './user-store.ts';

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(database: DatabaseSync, now: () => number = Date.now) {
  const insert = database.prepare('INSERT INTO sessions (id, user_id, ends_at) VALUES (?, ?, ?)');
  const sweep = database.prepare('DELETE FROM sessions WHERE ends_at <= ?');
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
  const removeOthers = database.prepare('DELETE FROM sessions WHERE user_id = ? AND id <> ?');
  const user = database.prepare(
    `SELECT users.id, users.email FROM sessions JOIN users ON users.id = sessions.user_id
     WHERE sessions.id = ? AND sessions.ends_at > ?`,
  );
  return {
    /** Gives the id of a new session of the user, which ends after so many seconds. */
    begin(userId: string, seconds: number): string {
      const id = randomUUID();
      sweep.run(now());
      insert.run(id, userId, now() + seconds * 1000);
      return id;
    },
    /** Whose session it is; `undefined` when it is over. */
    userOf: (id: string): User | undefined => userSchema.optional().parse(user.get(id, now())),
    end: (id: string) => void remove.run(id),
    /** Ends all sessions of the user but this one. */
    endOthers: (userId: string, id: string) => void removeOthers.run(userId, id),
  };
}
