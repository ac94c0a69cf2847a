// Ends what outlives a request when its session ends: checked once for all streams of a session.

import type { Sessions } from '../auth/sessions.ts';
import { ServiceError } from '../errors.ts';

export interface SessionWatch {
  /** Calls `onEnd` once, within five seconds after the session has ended. Answers how to stop watching. */
  watch(token: string | undefined, onEnd: () => void): () => void;
}

interface Watched {
  readonly listeners: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

const INTERVAL_MS = 4_000;

/** What `authenticate` says of a session that is over; anything else that it throws says nothing about it. */
const ENDED: ReadonlySet<string> = new Set([
  'not_authenticated',
  'token_invalid',
  'token_expired',
  'user_not_found',
]);

export function createSessionWatch({
  sessions,
  intervalMs = INTERVAL_MS,
}: {
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly intervalMs?: number;
}): SessionWatch {
  const watched = new Map<string, Watched>();

  const forget = (token: string): void => {
    clearInterval(watched.get(token)?.timer);
    watched.delete(token);
  };
  const check = async (token: string): Promise<void> => {
    if (!(await hasEnded(sessions, token))) return;
    const listeners = [...(watched.get(token)?.listeners ?? [])];
    forget(token);
    for (const onEnd of listeners) onEnd();
  };
  const watchOf = (token: string): Watched => {
    const known = watched.get(token);
    if (known !== undefined) return known;
    const timer = setInterval(() => void check(token), intervalMs);
    const made = { listeners: new Set<() => void>(), timer };
    watched.set(token, made);
    return made;
  };

  return {
    watch(token = '', onEnd) {
      const { listeners } = watchOf(token);
      // Its own function, so that the same one may watch twice.
      const listener = (): void => onEnd();
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(token)?.listeners === listeners) forget(token);
      };
    },
  };
}

async function hasEnded(sessions: Pick<Sessions, 'authenticate'>, token: string): Promise<boolean> {
  try {
    await sessions.authenticate(token);
    return false;
  } catch (error) {
    return error instanceof ServiceError && ENDED.has(error.code);
  }
}
