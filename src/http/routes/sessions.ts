// Where somebody is signed in: listed and ended by a person who is signed in (decisions, section 2, sessions).
import { z } from 'zod';
import type { Sessions } from '../../auth/sessions.ts';
import type { Clients } from '../clients.ts';
import { ownSession } from '../own-session.ts';
import { presentSession, sessionBodySchema } from '../presenters/session.ts';
import type { RouteTable } from '../route-table.ts';
import { clearSessionCookies } from '../session-cookies.ts';

const PATH = '/api/v1/auth/sessions';
const TAG = 'Authentication';

export interface SessionRouteDependencies {
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly now: () => number;
}

export function mountSessionRoutes(routes: RouteTable, dependencies: SessionRouteDependencies): void {
  const { sessions, clients, now } = dependencies;
  routes.add({
    method: 'get',
    path: PATH,
    access: 'session',
    tag: TAG,
    summary: 'Where the user is signed in, the session used last first',
    answers: {
      200: { description: 'The sessions', schema: z.object({ sessions: z.array(sessionBodySchema) }) },
    },
    handle: async (c) => {
      const current = ownSession(c).sessionId;
      const own = await c.var.repositories.sessions.list(now());
      return c.json({ sessions: own.map((it) => presentSession(it, { current })) });
    },
  });

  routes.add({
    method: 'delete',
    path: PATH,
    access: 'session',
    tag: TAG,
    summary: 'Sign out everywhere but here',
    answers: {
      200: { description: 'How many sessions were ended', schema: z.object({ ended: z.int() }) },
    },
    handle: async (c) => {
      const { sessionId } = ownSession(c);
      const kept = { sessionId, clientIp: clients.ip(c) };
      return c.json({ ended: await sessions.endOthers(c.var.repositories.sessions, c.var.user, kept) });
    },
  });

  routes.add({
    method: 'delete',
    path: `${PATH}/{session_id}`,
    access: 'session',
    tag: TAG,
    summary: 'End a session; what was opened with it ends within five seconds',
    answers: { 204: { description: 'Ended' } },
    handle: async (c) => {
      const sessionId = c.req.param('session_id') ?? '';
      const ended = { sessionId, clientIp: clients.ip(c) };
      await sessions.end(c.var.repositories.sessions, c.var.user, ended);
      if (sessionId === ownSession(c).sessionId) clearSessionCookies(c, c.var);
      return c.body(null, 204);
    },
  });
}
