// Every request that is not public needs a session (contract, Authentication 1).
import type { Sessions } from '../../auth/sessions.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AppMiddleware } from '../context.ts';
import type { IsPublic } from '../public-paths.ts';
import { rawPath } from '../raw-path.ts';
import { accessToken } from '../session-cookies.ts';

export interface AuthenticateDependencies {
  readonly sessions: Sessions;
  readonly storage: Pick<Storage, 'as'>;
  readonly isPublic: IsPublic;
}

/** Sets `user` and their `repositories`, or throws one of the four 401 codes. */
export function authenticate({ sessions, storage, isPublic }: AuthenticateDependencies): AppMiddleware {
  return async (c, next) => {
    if (!(await isPublic({ method: c.req.method, path: rawPath(c) }))) {
      const user = await sessions.authenticate(accessToken(c));
      c.set('user', user);
      c.set('repositories', storage.as(user.id));
    }
    await next();
  };
}
