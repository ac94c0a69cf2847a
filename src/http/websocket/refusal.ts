// What a client is told when its socket is closed on it: a close code and a sentence, never a cause.
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { CLOSE } from './live-socket.ts';

export interface Refusal {
  readonly code: number;
  /** A name for programs. */
  readonly error: string;
  /** A sentence for a person. */
  readonly message: string;
}

/** Logs what is a fault of the service. */
export function refusalOf(error: unknown, log: Log): Refusal {
  if (!(error instanceof ServiceError)) {
    log.error({ err: error }, 'a socket failed');
    return { code: CLOSE.fault, error: 'internal_error', message: 'Internal server error' };
  }
  const [issue] = error.issues ?? [];
  const message = issue === undefined ? error.detail : `${issue.loc.join('.')}: ${issue.msg}`;
  const code = error.code === 'unavailable' ? CLOSE.fault : CLOSE.refused;
  if (code === CLOSE.fault) log.warn({ err: error }, 'a dependency of a socket is unavailable');
  return { code, error: error.code, message };
}
