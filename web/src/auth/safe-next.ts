// The page to open after signing in.

/** Returns only paths of this app: a link must not send people elsewhere after they have signed in. */
export function safeNext(next: unknown): string | undefined {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined;
}
