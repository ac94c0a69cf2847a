// Ends what outlives a request when its session or API key ends: all that follow something are checked together.
import type { Credential, Credentials } from '../../auth/credentials.ts';
import type { SessionEnds } from '../../auth/sessions.ts';

export interface SessionWatch {
  /**
   * Calls `onEnd` once, within five seconds after the session or key has ended; at once when a session ended in this
   * process. Answers how to stop watching.
   */
  watch(credential: Credential | undefined, onEnd: () => void): () => void;
}

interface SessionWatchParts {
  readonly credentials: Pick<Credentials, 'ended'>;
  readonly sessionEnds: Pick<SessionEnds, 'listen'>;
  readonly intervalMs?: number;
}

interface Watched {
  readonly credential: Credential;
  readonly listeners: Set<() => void>;
}

const INTERVAL_MS = 4_000;
const NOBODY: Credential = {
  kind: 'session',
  token: '',
  userId: '',
  sessionId: '',
  csrfToken: '',
  confirmedAt: 0,
};

export function createSessionWatch({
  credentials,
  sessionEnds,
  intervalMs = INTERVAL_MS,
}: SessionWatchParts): SessionWatch {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  const check = async (isMeant: (credential: Credential) => boolean = () => true): Promise<void> => {
    const followed = [...watched.values()].map(({ credential }) => credential).filter(isMeant);
    if (followed.length === 0) return;
    for (const { token } of await credentials.ended(followed)) {
      const listeners = [...(watched.get(token)?.listeners ?? [])];
      watched.delete(token);
      for (const onEnd of listeners) onEnd();
    }
  };
  const checkLater = (): void => {
    if (watched.size === 0) {
      timer = undefined;
      return;
    }
    // A database that does not answer says nothing about a session.
    timer = setTimeout(
      () =>
        void check()
          .catch(() => undefined)
          .finally(checkLater),
      intervalMs,
    );
  };

  sessionEnds.listen((userId) => {
    // What goes wrong now is seen with the next check.
    check((it) => it.kind === 'session' && it.userId === userId).catch(() => undefined);
  });

  return {
    watch(credential = NOBODY, onEnd) {
      const known = watched.get(credential.token) ?? { credential, listeners: new Set() };
      const { listeners } = known;
      // That of the first: a token is a piece of its request's head, which it keeps in memory.
      const { token } = known.credential;
      // Its own function, so that the same one may watch twice.
      const listener = (): void => onEnd();
      watched.set(token, known);
      listeners.add(listener);
      if (timer === undefined) checkLater();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(token) === known) watched.delete(token);
      };
    },
  };
}
