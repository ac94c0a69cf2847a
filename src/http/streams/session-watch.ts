// Ends streams when their session or API key ends. All watched credentials are checked together.
import type { Credential, Credentials } from '../../auth/credentials.ts';
import type { SessionEnds } from '../../auth/sessions.ts';

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
}: SessionWatchParts) {
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
    // A database error does not mean that a session has ended.
    timer = setTimeout(
      () =>
        void check()
          .catch(() => undefined)
          .finally(checkLater),
      intervalMs,
    );
  };

  sessionEnds.listen((userId) => {
    // After an error, the next check finds the ended sessions.
    check((it) => it.kind === 'session' && it.userId === userId).catch(() => undefined);
  });

  return {
    /**
     * Calls `onEnd` once, within five seconds after the session or key has ended; immediately when a session
     * ended in this process. Returns the function that stops watching.
     */
    watch(credential: Credential = NOBODY, onEnd: () => void): () => void {
      const known = watched.get(credential.token) ?? { credential, listeners: new Set() };
      const { listeners } = known;
      // Uses the first reader's token: a token is a slice of its request's head and keeps that in memory.
      const { token } = known.credential;
      // A separate function, so that the same `onEnd` may be watched twice.
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

export type SessionWatch = ReturnType<typeof createSessionWatch>;
