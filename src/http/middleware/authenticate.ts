// Every request that is not public needs a session or an API key (docs/contract/authentication.md#who-is-asking).

import { isApiKey } from '../../auth/api-keys.ts';
import type { Credentials, Presented } from '../../auth/credentials.ts';
import type { Storage } from '../../storage/storage.ts';
import type { IsPublic } from '../access/public-paths.ts';
import { accessToken } from '../access/session-cookies.ts';
import type { Clients } from '../api/clients.ts';
import type { AppContext, AppMiddleware } from '../api/context.ts';

interface AuthenticateDependencies {
  readonly credentials: Pick<Credentials, 'authenticate'>;
  readonly storage: Pick<Storage, 'as'>;
  readonly isPublic: IsPublic;
  readonly clients: Clients;
}

/** Sets `user`, their `repositories` and the `credential`, or throws one of the four 401 codes. */
export function authenticate({
  credentials,
  storage,
  isPublic,
  clients,
}: AuthenticateDependencies): AppMiddleware {
  return async (c, next) => {
    if (!(await isPublic(c.var.target))) {
      const https = clients.isHttps(c);
      const presented = { ...presentedCredential(c, { https }), clientIp: clients.ip(c) };
      const { user, credential } = await credentials.authenticate(presented);
      c.set('user', user);
      c.set('credential', credential);
      c.set('repositories', storage.as(user.id));
      c.set('https', https);
    }
    await next();
  };
}

const BEARER = /^bearer (.*)/i;

/**
 * A key in a header is there because a program put it there, while browsers add cookies by themselves: the key counts.
 * What is in `X-Api-Key` and is no key of this service is not meant for it: the LangGraph SDK sends what it finds in
 * its environment. Nor is `Authorization` of another scheme, which belongs to a proxy.
 */
function presentedCredential(c: AppContext, transport: { readonly https: boolean }): Presented {
  const bearer = BEARER.exec(c.req.header('authorization')?.trim() ?? '')?.[1]?.trim();
  const header = c.req.header('x-api-key');
  return {
    sessionToken: accessToken(c, transport),
    apiKey: bearer ?? (header !== undefined && isApiKey(header) ? header : undefined),
  };
}
