// The route that deletes the user's account.
import { z } from 'zod';
import type { DeleteAccount } from '../../auth/delete-account.ts';
import type { AccountRemover } from '../../threads/account-remover.ts';
import { clearSessionCookies } from '../access/session-cookies.ts';
import { ok, type RouteTable } from '../api/route-table.ts';

export interface AccountRouteDependencies {
  readonly deleteAccount: DeleteAccount;
  readonly accountRemover: Pick<AccountRemover, 'takenUntil' | 'finishSoon'>;
}

export function accountRoutes(
  routes: RouteTable,
  { deleteAccount, accountRemover }: AccountRouteDependencies,
): void {
  routes.delete('/api/v1/auth/me', {
    access: 'session',
    operationId: 'deleteAccount',
    errors: ['wrong_current_password', 'too_many_attempts', 'conflict'],
    summary: 'Delete the account and everything it owns; all its sessions end',
    body: { kind: 'json', schema: z.object({ password: z.string().min(1).max(1_024) }) },
    responses: ok('Deleted', z.object({ message: z.string() })),
    handle: async (c, { body }) => {
      const asked = { ...body, clientIp: c.var.client.ip, takenUntil: accountRemover.takenUntil() };
      accountRemover.finishSoon(await deleteAccount(c.var.user, asked));
      clearSessionCookies(c);
      return c.json({ message: 'The account was deleted' });
    },
  });
}
