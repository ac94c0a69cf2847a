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
export async function withRetries<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  for (const wait of policy.pauses) {
    try {
      return await attempt();
    } catch (error) {
      if (policy.failureOf(error).kind !== 'retry') throw translated(policy, error);
    }
    await pause(spread(wait));
  }
  try {
    return await attempt();
  } catch (error) {
    throw translated(policy, error);
  }
}

/** Varies the pause by up to a quarter, so that two conflicting calls do not collide again. */
function spread(wait: number): number {
  return wait * (0.75 + Math.random() / 2);
}

function translated(policy: RetryPolicy, error: unknown): unknown {
  const failure = policy.failureOf(error);
  return failure.kind === 'defect' ? error : unavailable(failure.detail, error);
}
