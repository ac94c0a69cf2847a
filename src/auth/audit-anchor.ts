// Writes into the service's log, now and then, where the audit log ends: what is there can be checked from outside.
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Job } from '../upkeep/upkeep.ts';

const INTERVAL_MS = 3_600_000;

/** Every hour in which something was appended, and once more at the stop. */
export function createAuditAnchors({ audit, log }: { readonly audit: AuditLog; readonly log: Log }): Job {
  let anchoredSeq = -1;

  const anchor = async (): Promise<undefined> => {
    const { number, hash } = await audit.head();
    if (number === anchoredSeq) return;
    anchoredSeq = number;
    log.info({ anchor: `${number}:${hash}` }, 'the audit log ends here');
  };
  return { name: 'audit anchors', everyMs: INTERVAL_MS, pass: anchor, last: anchor };
}
