// Tools that the person has allowed for one chat, in this browser, until they revoke it. The service goes on asking; the page answers.
import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { type OwnStorage, ownStorage } from '../auth/own-storage.ts';

const PREFIX = 'allowed-tools:';
const CHANGED = 'allowedtoolschange';
const NONE = '[]';

export interface AllowedTools {
  readonly names: readonly string[];
  readonly allow: (name: string) => void;
  /** It is asked about again. */
  readonly revoke: (name: string) => void;
}

/** Of the person's own chat: a copy of it, and what others bring along, has another id and allows nothing. */
export function useAllowedTools(userId: string, threadId: string | undefined): AllowedTools {
  const storage = ownStorage(userId);
  const key = `${PREFIX}${threadId ?? ''}`;
  const kept = useSyncExternalStore(subscribe, () => storage.get(key) ?? NONE);
  const names = threadId === undefined ? [] : read(kept);
  return {
    names,
    allow: (name) => keep(storage, key, [...new Set([...names, name])]),
    revoke: (name) =>
      keep(
        storage,
        key,
        names.filter((it) => it !== name),
      ),
  };
}

function keep(storage: OwnStorage, key: string, names: readonly string[]): void {
  storage.set(key, names.length === 0 ? undefined : JSON.stringify(names));
  dispatchEvent(new Event(CHANGED));
}

function read(kept: string): readonly string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(kept));
  } catch {
    return [];
  }
}

/** `storage` tells of other tabs. */
function subscribe(listener: () => void): () => void {
  addEventListener(CHANGED, listener);
  addEventListener('storage', listener);
  return () => {
    removeEventListener(CHANGED, listener);
    removeEventListener('storage', listener);
  };
}
