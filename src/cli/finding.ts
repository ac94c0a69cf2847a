// The finding of one check of the doctor.

interface Subject {
  readonly subject: string;
  readonly message: string;
}

export type Finding =
  | (Subject & { readonly verdict: 'ok' })
  /** `note`: the service works. `problem`: it does not start, or does not work as configured. */
  | (Subject & { readonly verdict: 'note' | 'problem'; readonly fix: string });

/** Returns functions that create the findings of one check. */
export function findingsOn(subject: string) {
  return {
    ok: (message: string): Finding => ({ verdict: 'ok', subject, message }),
    note: (message: string, fix: string): Finding => ({ verdict: 'note', subject, message, fix }),
    problem: (message: string, fix: string): Finding => ({ verdict: 'problem', subject, message, fix }),
  };
}

const MARKS: Readonly<Record<Finding['verdict'], string>> = { ok: '✓', note: '·', problem: '✗' };

/** Formats a finding as one line, plus one for its fix. */
export function formatFinding(finding: Finding): string {
  const line = `${MARKS[finding.verdict]} ${finding.subject.padEnd(10)} ${finding.message}`;
  return finding.verdict === 'ok' ? line : `${line}\n${' '.repeat(13)}${finding.fix}`;
}
