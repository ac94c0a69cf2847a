// The people who have an account.
import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from '@hono/zod-openapi';

export const userSchema = z.object({ id: z.string(), email: z.string() }).openapi('User');
export type User = z.infer<typeof userSchema>;

const accountSchema = userSchema.extend({ passwordHash: z.string() });

export type UserStore = ReturnType<typeof createUserStore>;

/** E-mail addresses are compared as they come: the schema of the routes has put them into one form. */
export function createUserStore(database: DatabaseSync) {
  const columns = 'SELECT id, email, password_hash AS passwordHash FROM users';
  const insert = database.prepare(
    'INSERT INTO users (id, email, password_hash) VALUES (?, ?, ?) ON CONFLICT (email) DO NOTHING',
  );
  const byEmail = database.prepare(`${columns} WHERE email = ?`);
  const byId = database.prepare(`${columns} WHERE id = ?`);
  const update = database.prepare('UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?');
  const remove = database.prepare('DELETE FROM users WHERE id = ?');
  return {
    /** `undefined` when the address has an account already. */
    add(email: string, passwordHash: string): User | undefined {
      const user = { id: randomUUIDv7(), email };
      return insert.run(user.id, email, passwordHash).changes === 0 ? undefined : user;
    },
    withEmail: (email: string) => accountSchema.optional().parse(byEmail.get(email)),
    withId: (id: string) => accountSchema.optional().parse(byId.get(id)),
    /** Whether the password was still the one that had `oldHash`. */
    changePassword: (id: string, oldHash: string, newHash: string): boolean =>
      update.run(newHash, id, oldHash).changes > 0,
    /** Removes the account with everything that is its own. */
    remove: (id: string) => void remove.run(id),
  };
}
