// The user's sessions, listed and ended, and the confirmation of the password before sensitive requests
// (docs/decisions/0047-sessions.md).
import { z } from 'zod';
import type { Auth } from '../../auth/create-auth.ts';
import { ownSession } from '../access/own-session.ts';
import { clearSessionCookies } from '../access/session-cookies.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presentSession, sessionBodySchema } from '../presenters/account.ts';
import { shownPassword } from './auth-requests.ts';

const PATH = '/api/v1/auth/sessions';

interface SessionRouteDependencies extends Pick<Auth, 'sessions' | 'confirmPassword'> {
  readonly now: () => number;
}

export function sessionRoutes(
  routes: RouteTable,
  { sessions, confirmPassword, now }: SessionRouteDependencies,
): void {
  mountConfirmation(routes, { sessions, confirmPassword });
  routes.get(PATH, {
    access: 'session',
    operationId: 'listSessions',
    summary: 'Sessions of the user, most recently used first',
    responses: ok('The sessions', z.object({ sessions: z.array(sessionBodySchema) })),
    handle: async (c) => {
      const current = ownSession(c).sessionId;
      const at = now();
      const own = await c.var.repositories.sessions.list(at);
      return c.json({ sessions: own.map((it) => presentSession(it, { current, now: at })) });
    },
  });

  routes.delete(PATH, {
    access: 'session',
    operationId: 'endOtherSessions',
    summary: 'Sign out everywhere but here',
    responses: ok('How many sessions were ended', z.object({ ended: z.int() })),
    handle: async (c) => {
      const { sessionId } = ownSession(c);
      const kept = { sessionId, clientIp: c.var.client.ip };
      return c.json({ ended: await sessions.endOthers(c.var.repositories.sessions, c.var.user, kept) });
    },
  });

  routes.delete(`${PATH}/{session_id}`, {
    access: 'session',
    operationId: 'endSession',
    errors: ['not_found'],
    summary: 'End a session; connections opened with it end within five seconds',
    responses: { 204: { description: 'Ended' } },
    handle: async (c) => {
      const sessionId = pathParam(c, 'session_id');
      const ended = { sessionId, clientIp: c.var.client.ip };
      await sessions.end(c.var.repositories.sessions, c.var.user, ended);
      if (sessionId === ownSession(c).sessionId) clearSessionCookies(c);
    },
  });
}

function mountConfirmation(
  routes: RouteTable,
  { sessions, confirmPassword }: Omit<SessionRouteDependencies, 'now'>,
): void {
  routes.post('/api/v1/auth/confirm-password', {
    access: 'session',
    operationId: 'confirmPassword',
    errors: ['wrong_current_password', 'too_many_attempts'],
    summary: 'Confirm the password; it is not asked for again for ten minutes',
    body: {
      kind: 'json',
      schema: z.object({ password: shownPassword }),
    },
    responses: ok('It is the right one', z.object({ message: z.string() })),
    handle: async (c, { body: { password } }) => {
      await confirmPassword(c.var.user, { password, clientIp: c.var.client.ip });
      await sessions.confirm(ownSession(c).sessionId);
      return c.json({ message: 'Password confirmed' });
    },
  });
}
