// A log that says nothing, for tests that do not look at it.
import type { Log } from '../../src/log.ts';

export const QUIET_LOG: Log = {
  info: () => {},
  warn: () => {},
  error: () => {},
  debug: () => {},
};
