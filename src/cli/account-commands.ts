// Commands for one account: a new password that is written to the credentials file, and its end.
import { requireBegun } from '../auth/delete-account.ts';
import { resetAdmin } from '../auth/reset-admin.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { withStorage } from './with-storage.ts';

/** `reset-admin`: a new generated password, of the first administrator without an e-mail. Also while the service is running. */
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

/** `delete-account`: what the account had goes with the service that runs, or at its next start. */
export function deleteAccountCommand(context: CommandContext, email: string): Promise<ExitCode> {
  return withStorage(context, async (storage) => {
    const user = await storage.users.findByEmail(email);
    if (user === undefined) {
      context.print(`No account has the e-mail ${email}.`);
      return 1;
    }
    const asked = { now: storage.now(), takenUntil: 0, actor: null, clientIp: null };
    requireBegun(await storage.accountRemovals.begin(user, asked));
    context.print(
      `Deleted the account ${user.email}. Its threads and files go within half a minute, or when the service starts.`,
    );
    return 0;
  });
}
