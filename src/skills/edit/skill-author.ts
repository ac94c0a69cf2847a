// Who changes a skill, and what came of it.
import type { Finding } from '../scan/finding.ts';

/** Who changes a skill of theirs, or whose agent does. */
export interface SkillAuthor {
  readonly userId: string;
  readonly author: 'agent' | 'human';
  /** Of the agent. */
  readonly threadId: string | null;
  readonly clientIp: string | null;
  /** An administrator has looked at what the scan finds critical. */
  readonly isConfirmed: boolean;
}

export type EditOutcome =
  | {
      readonly kind: 'done';
      readonly name: string;
      readonly findings: readonly Finding[];
      /** Of the file that was written, as it is now. */
      readonly version?: string;
    }
  /** Something critical was found; nothing was written. */
  | { readonly kind: 'blocked'; readonly findings: readonly Finding[] };
