// Tells whoever follows something in this process that sessions of a user have just ended, so that nobody waits for the next look.

export interface SessionEnds {
  announce(userId: string): void;
  listen(listener: (userId: string) => void): void;
}

export function createSessionEnds(): SessionEnds {
  const listeners = new Set<(userId: string) => void>();
  return {
    announce(userId) {
      for (const listener of listeners) listener(userId);
    },
    listen(listener) {
      listeners.add(listener);
    },
  };
}
