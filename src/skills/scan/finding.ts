// What a scan found in a skill.

export type Severity = 'info' | 'warning' | 'critical';

/** Never says what was found: it may be a secret. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** Below the folder of the skill. */
  readonly file: string;
  /** From 1; `null` when it is about the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** Whether an administrator has to confirm it. */
export function isBlocking(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'critical');
}
