// Commands for one account: reset its password into the credentials file, and delete it.
import { requireBegun } from '../auth/delete-account.ts';
import { resetAdmin } from '../auth/reset-admin.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { accountOf, withStorage } from './with-storage.ts';

/**
 * Sets a new password (`reset-admin`), by default for the first administrator. Works beside a running
 * service.
 */
export function resetAdminCommand(context: CommandContext, email: string | undefined): Promise<ExitCode> {
  return withStorage(
    context,
    async ({ users }, { dataHome }) => {
      const reset = await resetAdmin({ users, dataHome, email });
      context.print(
        `Gave ${reset.email} a new password and ended its sessions. The credentials are in ${reset.path}`,
      );
      return 0;
    },
    (message) => `Nothing was changed: ${message}`,
  );
}

/** Deletes an account (`delete-account`). A running service removes its data, or the next start does. */
export function deleteAccountCommand(context: CommandContext, email: string): Promise<ExitCode> {
  return withStorage(context, async (storage) => {
    const user = await accountOf(storage, email);
    const asked = { now: storage.now(), takenUntil: 0, actor: null, clientIp: null };
    requireBegun(await storage.accountRemovals.begin(user, asked));
    context.print(
      `Deleted the account ${user.email}. Its threads and files are deleted within half a minute, or when the service starts.`,
    );
    return 0;
  });
}
