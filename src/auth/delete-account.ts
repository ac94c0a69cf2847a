// Deletes an account permanently, after the caller has confirmed the password.
import { conflict } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AccountRemoval, AccountRemovals, UserRecord } from '../storage/users.ts';
import type { ConfirmPassword } from './confirm-password.ts';
import type { InitialCredentials } from './initial-credentials.ts';
import type { SessionEnds } from './sessions.ts';

/**
 * Ends all access to the account and frees its e-mail. Its data is removed later. Throws
 * `wrong_current_password`, `too_many_attempts`, and `conflict` for the last administrator or a concurrent
 * change.
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
    await initialCredentials.forget(user.id, log);
    return removal;
  };
}

/** Throws `conflict` when the removal did not begin. */
export function requireBegun(begun: AccountRemoval | 'last_admin' | 'stale'): AccountRemoval {
  if (begun === 'last_admin')
    throw conflict('This is the last administrator. Make another account an administrator first.');
  if (begun === 'stale') throw conflict('This account was changed at the same time. Sign in and try again.');
  return begun;
}
