// The session that a request came with, and whether its user has given the password lately.
import type { SessionCredential } from '../../auth/credentials.ts';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

/** For so long what is sensitive does not ask for the password again. */
export const CONFIRMED_MS = 600_000;

/** Throws `forbidden` for an API key, as `access: 'session'` does before. */
export function ownSession(c: AppContext): SessionCredential {
  const { credential } = c.var;
  if (credential?.kind === 'session') return credential;
  throw new ServiceError('forbidden', 'This needs a person who is signed in; an API key is not enough.');
}

/**
 * Before what a session that was taken over must not do. Throws `password_required` when the password was given more
 * than ten minutes ago. A route that takes API keys asks programs for none: they have no password to give.
 */
export function requireRecentPassword(c: AppContext, now: () => number): void {
  if (c.var.credential?.kind === 'api_key') return;
  if (now() < ownSession(c).confirmedAt + CONFIRMED_MS) return;
  throw new ServiceError(
    'password_required',
    'This needs your password again. Send it to /api/v1/auth/confirm-password, then repeat the request.',
  );
}
