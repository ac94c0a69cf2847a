// Everything that a user follows for longer than a request: counted for each user, and ended with its session or API
// key.
import type { Credential } from '../../auth/credentials.ts';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import type { SessionWatch } from './session-watch.ts';

/** Why the service closes a stream: its user has opened too many others since, or its session or API key is over. */
export type StreamClosing = 'displaced' | 'session_ended';

interface OpenStream {
  readonly userId: string;
  readonly credential: Credential | undefined;
  /** Called at most once. What is followed goes on; a client whose credential is good may come back for the rest. */
  readonly close: (why: StreamClosing) => void;
}

export interface OpenStreams {
  /**
   * Takes a stream in, closing the user's oldest one when there are too many, and this one within five seconds after
   * its session or key has ended. Answers how to let it go.
   */
  open(stream: OpenStream): () => void;
}

interface OpenStreamsParts {
  readonly maxPerUser: number;
  readonly sessionWatch: SessionWatch;
}

export function createOpenStreams({ maxPerUser, sessionWatch }: OpenStreamsParts): OpenStreams {
  /** How to close each stream, oldest first. */
  const streams = new Map<string, Set<(why: StreamClosing) => void>>();
  return {
    open({ userId, credential, close }) {
      const own = streams.get(userId) ?? new Set();
      const letGo = (): void => {
        stopWatching();
        own.delete(end);
        if (own.size === 0 && streams.get(userId) === own) streams.delete(userId);
      };
      const end = (why: StreamClosing): void => {
        letGo();
        close(why);
      };
      const stopWatching = sessionWatch.watch(credential, () => end('session_ended'));
      streams.set(userId, own.add(end));
      const [oldest] = own;
      if (own.size > maxPerUser) oldest?.('displaced');
      return letGo;
    },
  };
}

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
