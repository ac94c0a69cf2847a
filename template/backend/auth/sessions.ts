// A session is a token in a cookie that scripts cannot read and other sites cannot send.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Config } from '../../config/config-schema.ts';
import { ApiError } from '../errors.ts';
import type { AppEnv } from '../request-log.ts';
import type { Tokens } from './tokens.ts';
import type { UserStore } from './user-store.ts';

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(config: Config, tokens: Tokens, users: UserStore) {
  const secure = config.app.environment !== 'development';
  const name = secure ? '__Host-session' : 'session';
  const cookie = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  return {
    async begin(c: Context, userId: string) {
      const token = await tokens.sign(userId);
      setCookie(c, name, token, { ...cookie, maxAge: config.security.jwt.expiresIn });
    },
    end: (c: Context) => void deleteCookie(c, name, cookie),
    /** Refuses with 401 whoever is not signed in; the others are `c.get('user')` from here on. */
    require: createMiddleware<AppEnv>(async (c, next) => {
      const token = getCookie(c, name);
      const userId = token === undefined ? undefined : await tokens.verify(token);
      const user = userId === undefined ? undefined : users.withId(userId);
      if (user === undefined) throw new ApiError(401, 'Sign in first.');
      c.set('user', user);
      await next();
    }),
  };
}
