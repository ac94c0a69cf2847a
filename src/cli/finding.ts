// What one check of the doctor found.

export type Finding =
  | { readonly verdict: 'ok'; readonly subject: string; readonly message: string }
  /** Worth knowing; the service works. */
  | { readonly verdict: 'note'; readonly subject: string; readonly message: string; readonly fix: string }
  /** The service does not start, or does not work as configured. */
  | {
      readonly verdict: 'problem';
      readonly subject: string;
      readonly message: string;
      readonly fix: string;
    };

const MARKS: Readonly<Record<Finding['verdict'], string>> = { ok: '✓', note: '·', problem: '✗' };

/** One line, and one more for what to do about it. */
export function formatFinding(finding: Finding): string {
  const line = `${MARKS[finding.verdict]} ${finding.subject.padEnd(10)} ${finding.message}`;
  return finding.verdict === 'ok' ? line : `${line}\n${' '.repeat(13)}${finding.fix}`;
}
