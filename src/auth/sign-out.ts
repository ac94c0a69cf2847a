// Signing out: the session is the browser's to forget, and the audit log is told whose it was.
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Sessions } from './sessions.ts';

interface SignOutRequest {
  readonly token: string | undefined;
  readonly clientIp: string;
}

/**
 * Never throws: whoever wants to leave a shared computer must be able to, also while the audit log cannot be
 * written. Then the service's log says so. A token that is no session is nobody's.
 */
export type SignOut = (request: SignOutRequest) => Promise<void>;

export interface SignOutDependencies {
  readonly sessions: Sessions;
  readonly audit: AuditLog;
  readonly log: Log;
}

export function createSignOut({ sessions, audit, log }: SignOutDependencies): SignOut {
  return async ({ token, clientIp }) => {
    const user = await sessions.authenticate(token).catch(() => undefined);
    if (user === undefined) return;
    const entry = { act: 'sign_out', actor: user.id, clientIp, subject: user.id } as const;
    await audit.append(entry).catch((err: unknown) => {
      log.error({ err, ...entry }, 'the audit log could not be written');
    });
  };
}
