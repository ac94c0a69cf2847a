// The open streams of users: counted per user, and ended with their session or API key.
import type { Credential } from '../../auth/credentials.ts';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import type { SessionWatch } from './session-watch.ts';

/**
 * Why the service closes a stream: its user has opened too many others, or its session or API key has ended.
 */
export type StreamClosing = 'displaced' | 'session_ended';

/** The reader of a stream. */
interface Follower {
  readonly user: { readonly id: string };
  readonly credential?: Credential | undefined;
}

interface OpenStreamsParts {
  readonly maxPerUser: number;
  readonly sessionWatch: SessionWatch;
}

export function createOpenStreams({ maxPerUser, sessionWatch }: OpenStreamsParts) {
  /** The functions that close each stream, oldest first. */
  const streams = new Map<string, Set<(why: StreamClosing) => void>>();
  return {
    /**
     * Registers a stream. Closes the user's oldest stream when there are too many, and this one within five
     * seconds after its session or key ends. Calls `close` at most once. The source of the stream continues; a
     * client with a valid credential may return for the remaining output. Returns the function that unregisters
     * the stream.
     */
    open({ user: { id: userId }, credential }: Follower, close: (why: StreamClosing) => void): () => void {
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

export type OpenStreams = ReturnType<typeof createOpenStreams>;

const CLOSINGS = {
  displaced: new ServiceError('too_many_attempts', 'Too many streams are open.'),
  session_ended: new ServiceError('token_invalid', 'The session or the API key has ended.'),
} as const satisfies Record<StreamClosing, ServiceError>;

/**
 * Runs `wait` until the client leaves or its session ends at the latest. When the service ends the wait, the
 * signal's reason is a `ServiceError`, which `wait` must throw.
 */
export async function whileWelcome<T>(
  c: AppContext,
  openStreams: OpenStreams,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const letGo = openStreams.open(c.var, (why) => closed.abort(CLOSINGS[why]));
  try {
    return await wait(AbortSignal.any([c.req.raw.signal, closed.signal]));
  } finally {
    letGo();
  }
}
