// Every request that is not public needs a session or an API key (docs/contract/authentication.md#who-is-asking).
import type { Credentials } from '../../auth/credentials.ts';
import type { Storage } from '../../storage/storage.ts';
import { presentedCredential } from '../access/presented-credential.ts';
import type { IsPublic } from '../access/public-paths.ts';
import type { Clients } from '../api/clients.ts';
import type { AppMiddleware } from '../api/context.ts';

export interface AuthenticateDependencies {
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
