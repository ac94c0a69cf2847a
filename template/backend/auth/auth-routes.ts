// Accounts and sessions: register, sign in, sign out, who am I.
import { createRoute, z } from '@hono/zod-openapi';
import { clientAddress } from '../../http/client-address.ts';
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
  const me = createRoute({
    ...common,
    method: 'get',
    path: '/auth/me',
    security: [{ session: [] }],
    middleware: [sessions.require],
    responses: { 200: json('Who is signed in.', userSchema), ...failures(401) },
  });
  return createRouter()
    .openapi(register, async (c) => {
      limitAttempts(clientAddress(c));
      const { email, password } = c.req.valid('json');
      const user = users.add(email, await hashPassword(password));
      if (user === undefined) throw new ApiError(409, 'This address has an account already: sign in.');
      await sessions.begin(c, user.id);
      return c.json(user, 201);
    })
    .openapi(signIn, async (c) => {
      limitAttempts(clientAddress(c));
      const { email, password } = c.req.valid('json');
      const account = users.withEmail(email);
      const isRight = await isPassword(password, account?.passwordHash);
      if (account === undefined || !isRight) throw new ApiError(401, 'E-mail or password is wrong.');
      await sessions.begin(c, account.id);
      return c.json({ id: account.id, email: account.email }, 200);
    })
    .openapi(signOut, (c) => {
      sessions.end(c);
      return c.body(null, 204);
    })
    .openapi(me, (c) => c.json(c.get('user'), 200));
}
