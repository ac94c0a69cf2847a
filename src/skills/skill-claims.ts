// Allows one request at a time to change a custom skill, across processes: the claim is in the database.
import { conflict, ServiceError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';

export type SkillClaims = ReturnType<typeof createSkillClaims>;

interface SkillClaimsParts {
  readonly storage: Pick<Storage, 'as'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * Work under a claim writes a few texts or moves a folder. Shorter than the time after which the account
 * remover checks again.
 */
const CLAIM_MS = 30_000;

export function createSkillClaims({ storage, now, newId }: SkillClaimsParts) {
  const holders = new Map<string, string>();
  const statesOf = (userId: string) => storage.as(userId).skillStates;
  const until = () => now() + CLAIM_MS;
  return {
    /**
     * Does the work under an exclusive lock on the skill. Throws `conflict` when another process holds it, and
     * `user_not_found` when the account was deleted. Callers make one call at a time for each person.
     */
    async during<Result>(userId: string, name: string, work: () => Promise<Result>): Promise<Result> {
      const holder = newId();
      const outcome = await statesOf(userId).claim({ name, holder, until: until() }, now());
      if (outcome === 'no_account') throw new ServiceError('user_not_found', 'The account was deleted.');
      if (outcome === 'busy') throw busy(name);
      holders.set(keyOf(userId, name), holder);
      try {
        return await work();
      } finally {
        holders.delete(keyOf(userId, name));
        // The work is done already. If this fails, the claim expires.
        await statesOf(userId)
          .release({ name, holder })
          .catch(() => {});
      }
    },
    /** Called right before such work writes. Throws `conflict` when another process has claimed the skill. */
    async confirm(userId: string, name: string): Promise<void> {
      const holder = holders.get(keyOf(userId, name));
      if (holder === undefined) throw new Error(`nobody has claimed the skill ${name}`);
      if (!(await statesOf(userId).renew({ name, holder, until: until() }))) throw busy(name);
    },
  };
}

function keyOf(userId: string, name: string): string {
  return `${userId}/${name}`;
}

function busy(name: string): ServiceError {
  return conflict(
    `The skill '${name}' is being changed by another request. Wait a moment, read it again, and then repeat your change.`,
  );
}
