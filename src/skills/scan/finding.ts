// The findings of a scan of a skill.

import { z } from 'zod';

/** Never quotes the text that was found, which may be a secret. */
export const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  /** Relative to the folder of the skill. */
  file: z.string(),
  /** From 1; `null` when it concerns the whole file. */
  line: z.number().nullable(),
  message: z.string(),
});

export type Finding = z.output<typeof findingSchema>;
export type Severity = Finding['severity'];

/** True when an administrator must confirm the findings. */
export function isBlocking(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'critical');
}
