// A pause that an abort ends immediately.
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after `ms`. Throws the signal's reason as soon as it aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
