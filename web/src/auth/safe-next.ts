// Where to go after signing in.

/** Only paths of this app: a link must not send people elsewhere after they signed in. */
export function safeNext(next: unknown): string | undefined {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined;
}
