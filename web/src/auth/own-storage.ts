// What this browser keeps for one person, apart from everybody else who signs in here.

export interface OwnStorage {
  readonly get: (name: string) => string | null;
  /** Undefined removes it. Whether it is kept: there may be no storage, or no room in it. */
  readonly set: (name: string, value: string | undefined) => boolean;
  /** The names that begin so. */
  readonly names: (prefix: string) => readonly string[];
  /** Forgets everything of the person. */
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

/** A browser may refuse its storage. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
