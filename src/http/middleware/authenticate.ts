// Requires a session or an API key for every request that is not public
// (docs/contract/authentication.md#who-is-asking).

import { isApiKey } from '../../auth/api-keys.ts';
import type { Credentials, Presented } from '../../auth/credentials.ts';
import type { Storage } from '../../storage/storage.ts';
import type { IsPublic } from '../access/public-paths.ts';
import { accessToken } from '../access/session-cookies.ts';
import type { AppContext, AppMiddleware } from '../api/context.ts';

interface AuthenticateDependencies {
  readonly credentials: Pick<Credentials, 'authenticate'>;
  readonly storage: Pick<Storage, 'as'>;
  readonly isPublic: IsPublic;
}

/** Sets `user`, `repositories` and `credential`, or throws one of the four 401 codes. */
export function authenticate({ credentials, storage, isPublic }: AuthenticateDependencies): AppMiddleware {
  return async (c, next) => {
    if (!(await isPublic(c.var.target))) {
      const { user, credential } = await credentials.authenticate(presentedCredential(c));
      c.set('user', user);
      c.set('credential', credential);
      c.set('repositories', storage.as(user.id));
    }
    await next();
  };
}

const BEARER = /^bearer (.*)/i;

/**
 * Returns the credentials that the client sent. A key in a header takes precedence over cookies, because a
 * program put it there, while browsers add cookies automatically. An `X-Api-Key` in another format is
 * ignored: the LangGraph SDK sends any key from its environment. So is `Authorization` with another scheme,
 * which belongs to a proxy.
 */
function presentedCredential(c: AppContext): Presented {
  const bearer = BEARER.exec(c.req.header('authorization')?.trim() ?? '')?.[1]?.trim();
  const header = c.req.header('x-api-key');
  return {
    sessionToken: accessToken(c),
    apiKey: bearer ?? (header !== undefined && isApiKey(header) ? header : undefined),
    clientIp: c.var.client.ip,
  };
}
