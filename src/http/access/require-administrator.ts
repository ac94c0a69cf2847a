// Routes that only administrators may use.
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

/** Throws `forbidden` for everybody else. */
export function requireAdministrator(c: AppContext): void {
  if (c.var.user.systemRole === 'admin') return;
  throw new ServiceError('forbidden', 'Only administrators may do this.');
}
