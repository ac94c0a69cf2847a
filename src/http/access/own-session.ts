// The session of a request, and whether its user has recently entered the password.
import type { SessionCredential } from '../../auth/credentials.ts';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

/** How long sensitive requests do not ask for the password again, in milliseconds. */
export const CONFIRMED_MS = 600_000;

/** Returns the session of the request. Throws `forbidden` for an API key, as `access: 'session'` does. */
export function ownSession(c: AppContext): SessionCredential {
  const { credential } = c.var;
  if (credential?.kind === 'session') return credential;
  throw new ServiceError('forbidden', 'This needs a signed-in person; an API key is not enough.');
}

/**
 * Guards acts that a stolen session must not perform. Throws `password_required` when the password was
 * entered more than ten minutes ago. Passes API keys, because programs have no password to send.
 */
export function requireRecentPassword(c: AppContext, now: () => number): void {
  if (c.var.credential?.kind === 'api_key') return;
  if (now() < ownSession(c).confirmedAt + CONFIRMED_MS) return;
  throw new ServiceError(
    'password_required',
    'This needs your password again. Send it to /api/v1/auth/confirm-password, then repeat the request.',
  );
}
