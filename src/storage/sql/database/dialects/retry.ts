// The meaning of database failures in terms that both dialects share, and retries of transient ones.
import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../../../../errors.ts';

/**
 * `retry`: the same call may succeed in a moment. `refused`: it will not until a person removes the cause.
 */
export type DialectFailure =
  | { readonly kind: 'retry'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'defect' };

export const DEFECT: DialectFailure = Object.freeze({ kind: 'defect' });

export interface RetryPolicy {
  readonly failureOf: (error: unknown) => DialectFailure;
  /**
   * Approximate milliseconds before the second, third ... try. There is one more try than there are pauses.
   */
  readonly pauses: readonly number[];
}

/**
 * Returns the result of `attempt`. Throws `unavailable` for failures outside the program, and defects
 * unchanged.
 */
export async function withRetries<T>(
  { failureOf, pauses }: RetryPolicy,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'defect') throw error;
      const wait = pauses[tries];
      if (failure.kind === 'refused' || wait === undefined) throw unavailable(failure.detail, error);
      await pause(spread(wait));
    }
  }
}

/** Varies the pause by up to a quarter, so that two conflicting calls do not collide again. */
function spread(wait: number): number {
  return wait * (0.75 + Math.random() / 2);
}
