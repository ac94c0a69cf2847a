// Accounts and sessions: register, sign in, sign out, who am I, another password, no account any more.
import { createRoute, z } from '@hono/zod-openapi';
import { ApiError } from '../errors.ts';
import { failures, json, jsonBody } from '../responses.ts';
import { createRouter } from '../router.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { hashPassword, isPassword } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import { type UserStore, userSchema } from './user-store.ts';

const email = z.string().trim().toLowerCase().max(200).pipe(z.email('This is not an e-mail address.'));
const password = z.string().max(1_000, 'A password has at most 1,000 characters.');
const newPassword = password.min(10, 'A password has at least 10 characters.');
const credentialsSchema = z.strictObject({ email, password }).openapi('Credentials');
const registrationSchema = z.strictObject({ email, password: newPassword }).openapi('Registration');

const passwordChangeSchema = z.strictObject({ password, newPassword }).openapi('PasswordChange');
const confirmationSchema = z.strictObject({ password }).openapi('Confirmation');

const common = { method: 'post' as const, tags: ['Accounts'] };
const signedIn = json('Signed in: the session is in a cookie.', userSchema);

const register = createRoute({
  ...common,
  path: '/auth/register',
  request: jsonBody(registrationSchema),
  responses: { 201: signedIn, ...failures(400, 409, 429) },
});
const signIn = createRoute({
  ...common,
  path: '/auth/sign-in',
  request: jsonBody(credentialsSchema),
  responses: { 200: signedIn, ...failures(400, 401, 429) },
});
const signOut = createRoute({ ...common, path: '/auth/sign-out', responses: { 204: { description: 'Signed out.' } } });

export function authRoutes(users: UserStore, sessions: Sessions, limitAttempts: AttemptLimit) {
  const own = { ...common, security: [{ session: [] }], middleware: [sessions.require] };
  const me = createRoute({
    ...own,
    method: 'get',
    path: '/auth/me',
    responses: { 200: json('Who is signed in.', userSchema), ...failures(401) },
  });
  const changePassword = createRoute({
    ...own,
    path: '/auth/change-password',
    request: jsonBody(passwordChangeSchema),
    responses: {
      204: { description: 'Changed. All other sessions of this account are over.' },
      ...failures(400, 401, 409, 429),
    },
  });
  const deleteAccount = createRoute({
    ...own,
    path: '/auth/delete-account',
    request: jsonBody(confirmationSchema),
    responses: { 204: { description: 'The account and its notes are gone.' }, ...failures(400, 401, 429) },
  });
  /** Gives the hash of the password. Throws 400 when it is not that of the account. */
  const confirmed = async (id: string, password: string): Promise<string> => {
    const hash = users.withId(id)?.passwordHash;
    if (hash !== undefined && (await isPassword(password, hash))) return hash;
    throw new ApiError(400, 'The password is wrong.', {
      details: [{ field: 'password', message: 'This is not your password.' }],
    });
  };
  return createRouter()
    .openapi(register, async (c) => {
      limitAttempts(c);
      const { email, password } = c.req.valid('json');
      const user = users.add(email, await hashPassword(password));
      if (user === undefined) throw new ApiError(409, 'This address has an account already: sign in.');
      await sessions.begin(c, user.id);
      return c.json(user, 201);
    })
    .openapi(signIn, async (c) => {
      limitAttempts(c);
      const { email, password } = c.req.valid('json');
      const account = users.withEmail(email);
      const isRight = await isPassword(password, account?.passwordHash);
      // Looked at again: while the hash was compared, the password may have been changed.
      const isCurrent = account !== undefined && users.withId(account.id)?.passwordHash === account.passwordHash;
      if (!isRight || !isCurrent) throw new ApiError(401, 'E-mail or password is wrong.');
      await sessions.begin(c, account.id);
      return c.json({ id: account.id, email: account.email }, 200);
    })
    .openapi(signOut, async (c) => {
      await sessions.end(c);
      return c.body(null, 204);
    })
    .openapi(me, (c) => c.json(c.get('user'), 200))
    .openapi(changePassword, async (c) => {
      limitAttempts(c);
      const { id } = c.get('user');
      const { password, newPassword } = c.req.valid('json');
      const oldHash = await confirmed(id, password);
      if (!users.changePassword(id, oldHash, await hashPassword(newPassword)))
        throw new ApiError(409, 'The password was changed elsewhere in the meantime.');
      sessions.endOthers(c);
      return c.body(null, 204);
    })
    .openapi(deleteAccount, async (c) => {
      limitAttempts(c);
      const { id } = c.get('user');
      await confirmed(id, c.req.valid('json').password);
      users.remove(id);
      await sessions.end(c);
      return c.body(null, 204);
    });
}
