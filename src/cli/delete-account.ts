// `delete-account`: ends an account; what it had goes with the service that runs, or at its next start.
import { requireBegun } from '../auth/delete-account.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { withStorage } from './with-storage.ts';

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
