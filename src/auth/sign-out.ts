// Signing out: the session ends here, the browser forgets its cookies, and the audit log is told whose it was.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Sessions } from './sessions.ts';

interface SignOutRequest {
  readonly token: string | undefined;
  readonly clientIp: string;
}

/**
 * From then on the token opens nothing. Whoever wants to leave a shared computer must be able to while the audit log
 * cannot be written: then the service's log says so. Throws `unavailable` when the session itself could not be ended. A
 * token that is no session is nobody's.
 */
export type SignOut = (request: SignOutRequest) => Promise<void>;

export interface SignOutDependencies {
  readonly sessions: Pick<Sessions, 'authenticate' | 'signOut'>;
  readonly audit: AuditLog;
  readonly log: Log;
}

export function createSignOut({ sessions, audit, log }: SignOutDependencies): SignOut {
  return async ({ token, clientIp }) => {
    const found = await sessions.authenticate(token).catch(nobody);
    if (found === undefined) return;
    const { user, session } = found;
    await sessions.signOut(user, session.sessionId);
    const entry = { act: 'sign_out', actor: user.id, clientIp, subject: user.id } as const;
    await audit.append(entry).catch((err: unknown) => {
      log.error({ err, ...entry }, 'the audit log could not be written');
    });
  };
}

/** A refusal says that there is no session to end; a database that does not answer says nothing. */
function nobody(error: unknown): undefined {
  if (error instanceof ServiceError && error.code !== 'unavailable') return undefined;
  throw error;
}
