// A log that keeps its lines until the start was told: address, credentials and models come first.
import type { Log } from '../log.ts';

export interface HeldLog extends Log {
  /** Writes what was kept, and everything from now on at once. */
  release(): void;
}

export function createHeldLog(log: Log): HeldLog {
  let kept: (() => void)[] | undefined = [];
  const line = (write: () => void): void => {
    if (kept === undefined) write();
    else kept.push(write);
  };
  return {
    debug: (fields, message) => line(() => log.debug(fields, message)),
    info: (fields, message) => line(() => log.info(fields, message)),
    warn: (fields, message) => line(() => log.warn(fields, message)),
    error: (fields, message) => line(() => log.error(fields, message)),
    release() {
      const lines = kept ?? [];
      kept = undefined;
      for (const write of lines) write();
    },
  };
}
