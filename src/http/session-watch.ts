// Ends what outlives a request when its session ends: all sessions that follow something are checked together.
import type { Sessions } from '../auth/sessions.ts';

export interface SessionWatch {
  /** Calls `onEnd` once, within five seconds after the session has ended. Answers how to stop watching. */
  watch(token: string | undefined, onEnd: () => void): () => void;
}

interface SessionWatchParts {
  readonly sessions: Pick<Sessions, 'ended'>;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 4_000;

export function createSessionWatch({ sessions, intervalMs = INTERVAL_MS }: SessionWatchParts): SessionWatch {
  const watched = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    for (const token of await sessions.ended([...watched.keys()])) {
      const listeners = [...(watched.get(token) ?? [])];
      watched.delete(token);
      for (const onEnd of listeners) onEnd();
    }
  };
  const lookLater = (): void => {
    if (watched.size === 0) {
      timer = undefined;
      return;
    }
    // A database that does not answer says nothing about a session.
    timer = setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .finally(lookLater),
      intervalMs,
    );
  };

  return {
    watch(token = '', onEnd) {
      const listeners = watched.get(token) ?? new Set();
      // Its own function, so that the same one may watch twice.
      const listener = (): void => onEnd();
      watched.set(token, listeners.add(listener));
      if (timer === undefined) lookLater();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(token) === listeners) watched.delete(token);
      };
    },
  };
}
