// Wraps repositories, and those ahead of the disk in the same way.
import type { Repositories } from '../../src/storage/storage.ts';

export function withAhead(
  own: Repositories,
  wrapped: (repositories: Repositories) => Repositories,
): Repositories {
  const ahead: Repositories = {
    ...wrapped(own.ahead),
    get ahead() {
      return ahead;
    },
  };
  return { ...wrapped(own), ahead };
}
