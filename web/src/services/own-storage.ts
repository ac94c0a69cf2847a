// The local storage of one person, separate from that of other users of this browser.

export interface OwnStorage {
  readonly get: (name: string) => string | null;
  /** Stores the value, or removes it when it is undefined. Returns false when storage is missing or full. */
  readonly set: (name: string, value: string | undefined) => boolean;
  /** The keys with this prefix. */
  readonly names: (prefix: string) => readonly string[];
  /** Removes all entries of the person. */
  readonly clear: () => void;
}

export function ownStorage(userId: string): OwnStorage {
  const own = `user:${userId}:`;
  const names = (prefix: string): readonly string[] => {
    const keys = quietly(() => Object.keys(localStorage)) ?? [];
    return keys.filter((key) => key.startsWith(own + prefix)).map((key) => key.slice(own.length));
  };
  const set = (name: string, value: string | undefined) =>
    quietly(() => {
      if (value === undefined) localStorage.removeItem(own + name);
      else localStorage.setItem(own + name, value);
      return true;
    }) ?? false;
  return {
    get: (name) => quietly(() => localStorage.getItem(own + name)) ?? null,
    set,
    names,
    clear: () => {
      for (const name of names('')) set(name, undefined);
    },
  };
}

/** Returns undefined when the browser refuses its storage. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
