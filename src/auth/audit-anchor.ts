// Regularly logs where the audit log ends, so that it can be verified from outside.
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Job } from '../upkeep/upkeep.ts';

const INTERVAL_MS = 3_600_000;

/** Writes an anchor every hour in which rows were appended, and once more when the service stops. */
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
