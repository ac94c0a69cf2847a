// The session that a request came with, where only a person who is signed in gets to.
import type { SessionCredential } from '../auth/credentials.ts';
import { ServiceError } from '../errors.ts';
import type { AppContext } from './context.ts';

/** Throws `forbidden` for an API key, as `access: 'session'` does before. */
export function ownSession(c: AppContext): SessionCredential {
  const { credential } = c.var;
  if (credential?.kind === 'session') return credential;
  throw new ServiceError('forbidden', 'This needs a person who is signed in; an API key is not enough.');
}
