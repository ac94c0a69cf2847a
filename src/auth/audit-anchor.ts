// Writes into the service's log, now and then, where the audit log ends: what is there can be checked from outside.
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';

export interface AuditAnchors {
  /** From now on, every hour in which something was appended. */
  start(): void;
  /** Once more, and no more. Never throws. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 3_600_000;

export function createAuditAnchors({
  audit,
  log,
}: {
  readonly audit: AuditLog;
  readonly log: Log;
}): AuditAnchors {
  let timer: NodeJS.Timeout | undefined;
  let told = -1;

  const tell = async (): Promise<void> => {
    try {
      const { number, hash } = await audit.head();
      if (number === told) return;
      told = number;
      log.info({ anchor: `${number}:${hash}` }, 'the audit log ends here');
    } catch (err) {
      log.warn({ err }, 'the audit log could not be read');
    }
  };
  return {
    start() {
      void tell();
      timer = setInterval(() => void tell(), INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await tell();
    },
  };
}
