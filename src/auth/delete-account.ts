// Deletes an account for good; the caller must give the password again.
import { conflict } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AccountRemoval, AccountRemovals, UserRecord } from '../storage/users.ts';
import type { ConfirmPassword } from './confirm-password.ts';
import type { InitialCredentials } from './initial-credentials.ts';
import type { SessionEnds } from './sessions.ts';

/**
 * From now on nobody is signed in with the account, and its e-mail is free; what it had is still to be removed. Throws
 * `wrong_current_password`, and `conflict` for the last administrator.
 */
export type DeleteAccount = (
  user: UserRecord,
  asked: { readonly password: string; readonly clientIp: string; readonly takenUntil: number },
) => Promise<AccountRemoval>;

interface DeleteAccountParts {
  readonly removals: Pick<AccountRemovals, 'begin'>;
  readonly confirmPassword: ConfirmPassword;
  readonly initialCredentials: InitialCredentials;
  readonly sessionEnds: SessionEnds;
  readonly log: Log;
  readonly now: () => number;
}

export function createDeleteAccount(parts: DeleteAccountParts): DeleteAccount {
  const { removals, confirmPassword, initialCredentials, sessionEnds, log, now } = parts;
  return async (user, { password, clientIp, takenUntil }) => {
    await confirmPassword(user, { password, clientIp });
    const removal = requireBegun(
      await removals.begin(user, { now: now(), takenUntil, actor: user.id, clientIp }),
    );
    sessionEnds.announce(user.id);
    await initialCredentials.removeFor(user.id).catch((err: unknown) => {
      log.warn({ err, path: initialCredentials.path }, 'The initial credentials file could not be removed');
    });
    return removal;
  };
}

/** Throws `conflict` with a sentence when nothing was begun. */
export function requireBegun(begun: AccountRemoval | 'last_admin' | 'stale'): AccountRemoval {
  if (begun === 'last_admin')
    throw conflict(
      'This is the last administrator; the service would be without one. Make another one first.',
    );
  if (begun === 'stale') throw conflict('This account was changed at the same time. Sign in and try again.');
  return begun;
}
