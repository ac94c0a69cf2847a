// The authentication routes (docs/contract/authentication.md).
import { z } from 'zod';
import type { Auth } from '../../auth/create-auth.ts';
import type { UserRecord } from '../../storage/users.ts';
import type { Threads } from '../../threads/create-threads.ts';
import { accessToken, clearSessionCookies, setSessionCookies } from '../access/session-cookies.ts';
import type { AppContext } from '../api/context.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presentUser, userBodySchema } from '../presenters/account.ts';
import { changeEmailSchema, changePasswordSchema, credentialsSchema, loginSchema } from './auth-requests.ts';

type AuthRouteDependencies = Pick<Auth, 'accounts' | 'apiKeys' | 'sessions' | 'signIn' | 'signOut'>;

type SessionKind = 'until_browser_closes' | 'remembered';

const PREFIX = '/api/v1/auth';

const messageSchema = z.object({ message: z.string() });
const USER_RESPONSE = { description: 'The account, signed in by both cookies', schema: userBodySchema };

export function authRoutes(routes: RouteTable, parts: AuthRouteDependencies): void {
  mountSignInRoutes(routes, parts);
  mountAccountRoutes(routes, parts);
  mountStatusRoutes(routes, parts);
}

function mountSignInRoutes(routes: RouteTable, dependencies: AuthRouteDependencies): void {
  const { accounts, sessions, signIn, signOut } = dependencies;
  const openSession = sessionOpener(dependencies);

  routes.post(`${PREFIX}/login/local`, {
    access: 'sign_in',
    operationId: 'signIn',
    errors: ['invalid_credentials', 'too_many_attempts'],
    summary: 'Sign in; the token is set as a cookie and never in the body',
    body: { kind: 'form', schema: loginSchema },
    responses: ok('Signed in', z.object({ expires_in: z.number(), needs_setup: z.boolean() })),
    handle: async (c, { body }) => {
      const { username: email, password, remember_me } = body;
      const user = await signIn({ email, password, clientIp: c.var.client.ip });
      await openSession(c, user, remember_me === true ? 'remembered' : 'until_browser_closes');
      return c.json({ expires_in: sessions.lifeSeconds, needs_setup: user.needsSetup });
    },
  });

  routes.post(`${PREFIX}/register`, {
    access: 'sign_in',
    operationId: 'register',
    errors: ['email_already_exists', 'registration_disabled', 'too_many_attempts'],
    summary: 'Create an account and sign in',
    body: { kind: 'json', schema: credentialsSchema },
    responses: { 201: USER_RESPONSE },
    handle: async (c, { body }) => {
      const user = await accounts.register({ ...body, clientIp: c.var.client.ip });
      await openSession(c, user);
      return c.json(presentUser(user), 201);
    },
  });

  routes.post(`${PREFIX}/initialize`, {
    access: 'sign_in',
    operationId: 'initialize',
    errors: ['email_already_exists', 'system_already_initialized', 'too_many_attempts'],
    summary: 'Create the first administrator and sign in',
    body: { kind: 'json', schema: credentialsSchema },
    responses: { 201: USER_RESPONSE },
    handle: async (c, { body }) => {
      const user = await accounts.initialize({ ...body, clientIp: c.var.client.ip });
      await openSession(c, user);
      return c.json(presentUser(user), 201);
    },
  });

  routes.post(`${PREFIX}/logout`, {
    access: 'sign_in',
    operationId: 'signOut',
    summary: 'Sign out: ends the session and everything that was opened with it; works without a session',
    responses: ok('Signed out', messageSchema),
    handle: async (c) => {
      clearSessionCookies(c);
      await signOut({ token: accessToken(c), clientIp: c.var.client.ip });
      return c.json({ message: 'Signed out' });
    },
  });
}

function mountAccountRoutes(routes: RouteTable, dependencies: AuthRouteDependencies): void {
  const { accounts, apiKeys } = dependencies;
  const openSession = sessionOpener(dependencies);

  routes.get(`${PREFIX}/me`, {
    operationId: 'getAccount',
    summary: 'Who is signed in',
    responses: ok('The account', userBodySchema),
    handle: (c) => c.json(presentUser(c.var.user)),
  });

  routes.post(`${PREFIX}/change-password`, {
    access: 'session',
    operationId: 'changePassword',
    errors: ['wrong_current_password', 'too_many_attempts', 'conflict'],
    summary: 'Change the password; every other session ends, and API keys on request',
    body: { kind: 'json', schema: changePasswordSchema },
    responses: ok('Changed', messageSchema),
    handle: async (c, { body }) => {
      const user = await accounts.changePassword(c.var.user, {
        currentPassword: body.current_password,
        newPassword: body.new_password,
        newEmail: body.new_email,
        clientIp: c.var.client.ip,
      });
      if (body.revoke_api_keys === true) await apiKeys.revokeAll(c.var.repositories.apiKeys, c.var.client.ip);
      await openSession(c, user);
      return c.json({ message: 'Password changed' });
    },
  });

  routes.post(`${PREFIX}/change-email`, {
    access: 'session',
    operationId: 'changeEmail',
    errors: ['wrong_current_password', 'too_many_attempts', 'email_already_exists', 'conflict'],
    summary: 'Change the e-mail address; every other session ends',
    body: { kind: 'json', schema: changeEmailSchema },
    responses: ok('Changed', messageSchema),
    handle: async (c, { body }) => {
      const user = await accounts.changeEmail(c.var.user, {
        currentPassword: body.current_password,
        newEmail: body.new_email,
        clientIp: c.var.client.ip,
      });
      await openSession(c, user);
      return c.json({ message: 'E-mail address changed' });
    },
  });
}

type AccountRouteDependencies = Pick<Auth, 'deleteAccount'> & Pick<Threads, 'accountRemover'>;

export function accountRoutes(
  routes: RouteTable,
  { deleteAccount, accountRemover }: AccountRouteDependencies,
): void {
  routes.delete(`${PREFIX}/me`, {
    access: 'session',
    operationId: 'deleteAccount',
    errors: ['wrong_current_password', 'too_many_attempts', 'conflict'],
    summary: 'Delete the account and everything it owns; all its sessions end',
    body: { kind: 'json', schema: z.object({ password: z.string().min(1).max(1_024) }) },
    responses: ok('Deleted', messageSchema),
    handle: async (c, { body }) => {
      const asked = { ...body, clientIp: c.var.client.ip, takenUntil: accountRemover.takenUntil() };
      accountRemover.finishSoon(await deleteAccount(c.var.user, asked));
      clearSessionCookies(c);
      return c.json({ message: 'The account was deleted' });
    },
  });
}

function mountStatusRoutes(routes: RouteTable, { accounts }: AuthRouteDependencies): void {
  routes.get(`${PREFIX}/setup-status`, {
    access: 'public',
    operationId: 'getSetupStatus',
    summary: 'Whether an administrator must be made first, and whether people may register',
    responses: ok('The status', z.object({ needs_setup: z.boolean(), registration_enabled: z.boolean() })),
    handle: async (c) =>
      c.json({
        needs_setup: await accounts.needsInitialization(),
        registration_enabled: accounts.registrationOpen,
      }),
  });

  routes.get(`${PREFIX}/providers`, {
    access: 'public',
    operationId: 'listSignInProviders',
    summary: 'The ways to sign in',
    responses: ok(
      'The providers',
      z.object({
        providers: z.array(z.object({ id: z.string(), type: z.string(), display_name: z.string() })),
        registration_enabled: z.boolean(),
      }),
    ),
    handle: (c) =>
      c.json({
        providers: [{ id: 'local', type: 'password', display_name: 'E-mail and password' }],
        registration_enabled: accounts.registrationOpen,
      }),
  });
}

/**
 * Returns a function that opens a session and sets its cookies, as after a password change, which ends all
 * sessions.
 */
function sessionOpener({ sessions }: AuthRouteDependencies) {
  return async (c: AppContext, user: UserRecord, kind: SessionKind = 'until_browser_closes') => {
    const client = { clientIp: c.var.client.ip, userAgent: c.req.header('user-agent') };
    setSessionCookies(c, {
      ...(await sessions.open(user, client)),
      maxAge: kind === 'remembered' ? sessions.lifeSeconds : undefined,
    });
  };
}
