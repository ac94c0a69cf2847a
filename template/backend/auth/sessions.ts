// A session is a token in a cookie that scripts cannot read and other sites cannot send.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Config } from '../../config/config-schema.ts';
import type { RequestEnv } from '../../http/request-log.ts';
import { ApiError } from '../errors.ts';
import type { SessionStore } from './session-store.ts';
import type { Tokens } from './tokens.ts';
import type { User } from './user-store.ts';

/** The values of a request that passed `require`. */
export interface AppEnv extends RequestEnv {
  Variables: RequestEnv['Variables'] & { user: User; sessionId: string };
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(config: Config, tokens: Tokens, store: SessionStore) {
  const secure = config.app.environment !== 'development';
  const name = secure ? '__Host-session' : 'session';
  const cookie = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  const { expiresIn } = config.security.jwt;
  const idIn = async (c: Context) => {
    const token = getCookie(c, name);
    return token === undefined ? undefined : await tokens.verify(token);
  };
  return {
    async begin(c: Context, userId: string) {
      const token = await tokens.sign(store.begin(userId, expiresIn));
      setCookie(c, name, token, { ...cookie, maxAge: expiresIn });
    },
    /** Ends the session, not only its cookie: a copy of the cookie is worth nothing any more. */
    async end(c: Context) {
      const id = await idIn(c);
      if (id !== undefined) store.end(id);
      deleteCookie(c, name, cookie);
    },
    endOthers: (c: Context<AppEnv>) => store.endOthers(c.get('user').id, c.get('sessionId')),
    /** Refuses requests without a session with 401; for the others, `c.get('user')` is the user from here on. */
    require: createMiddleware<AppEnv>(async (c, next) => {
      const id = await idIn(c);
      const user = id === undefined ? undefined : store.userOf(id);
      if (id === undefined || user === undefined) throw new ApiError(401, 'Sign in first.');
      c.set('user', user);
      c.set('sessionId', id);
      await next();
    }),
  };
}
