// Everything that a user follows for longer than a request: counted for each user, and ended with its session or API key.
import type { Credential } from '../../auth/credentials.ts';
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
