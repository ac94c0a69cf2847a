// What a failure of the database means, in words that both dialects share: what passes is tried again.
import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../../../../errors.ts';

/** `retry`: the same call may work in a moment. `refused`: it will not, for a reason a person must remove. */
export type DialectFailure =
  | { readonly kind: 'retry'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'defect' };

export const DEFECT: DialectFailure = Object.freeze({ kind: 'defect' });

export interface RetryPolicy {
  readonly failureOf: (error: unknown) => DialectFailure;
  /** Milliseconds, more or less, before the second, third ... try; as many tries as there are pauses, plus one. */
  readonly pauses: readonly number[];
}

/** The result of `attempt`; throws `unavailable` for what lies outside the program, defects as they are. */
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

/** A quarter more or less: two that were in each other's way are not again in the same moment. */
function spread(wait: number): number {
  return wait * (0.75 + Math.random() / 2);
}

function translated(policy: RetryPolicy, error: unknown): unknown {
  const failure = policy.failureOf(error);
  return failure.kind === 'defect' ? error : unavailable(failure.detail, error);
}
