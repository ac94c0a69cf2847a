// Waits for something as one of the user's streams: counted with them, and ended with the session or API key.
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import type { OpenStreams, StreamClosing } from './open-streams.ts';

const CLOSINGS = {
  displaced: new ServiceError('too_many_attempts', 'Too many streams are open.'),
  session_ended: new ServiceError('token_invalid', 'The session or the API key has ended.'),
} as const satisfies Record<StreamClosing, ServiceError>;

/**
 * Not longer than the client stays, and not beyond its session. The signal's reason is a `ServiceError` when the service
 * ends the wait, which `wait` is to throw.
 */
export async function whileWelcome<T>(
  c: AppContext,
  openStreams: OpenStreams,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const { user, credential } = c.var;
  const letGo = openStreams.open({
    userId: user.id,
    credential,
    close: (why) => closed.abort(CLOSINGS[why]),
  });
  try {
    return await wait(AbortSignal.any([c.req.raw.signal, closed.signal]));
  } finally {
    letGo();
  }
}
