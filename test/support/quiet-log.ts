// A log that drops everything, for tests that do not read it.
import type { Log } from '../../src/log.ts';

export const QUIET_LOG: Log = {
  info: () => {},
  warn: () => {},
  error: () => {},
  debug: () => {},
};
