// What changes of skills have in common: where they are made, and the lines that are written about them.
import type { AuditLog } from '../../storage/audit-log.ts';
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import { type Finding, isBlocking } from '../scan/finding.ts';
import type { SkillCatalog } from '../skill-catalog.ts';
import type { SkillClaims } from '../skill-claims.ts';
import type { SkillSwitches } from '../skill-switches.ts';
import type { DeletedSkills } from './deleted-skills.ts';
import type { SkillFilePath } from './skill-file-path.ts';
import type { SkillChange, SkillHistory } from './skill-history.ts';

export interface SkillEditing {
  readonly dataHome: string;
  readonly catalog: SkillCatalog;
  readonly claims: SkillClaims;
  readonly switches: SkillSwitches;
  readonly history: SkillHistory;
  readonly deleted: DeletedSkills;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly maxSkills: number;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Noted extends Pick<SkillChange, 'action' | 'previous' | 'next'> {
  readonly name: string;
  readonly file: SkillFilePath;
  readonly findings: readonly Finding[];
}

/**
 * A line of the history. To be written before the change: none is made without its line. Throws `conflict` when somebody else
 * has the skill by now.
 */
export async function note(
  { history, claims, now }: Pick<SkillEditing, 'history' | 'claims' | 'now'>,
  author: SkillAuthor,
  noted: Noted,
): Promise<void> {
  const { name, file, action, previous, next, findings } = noted;
  await claims.confirm(author.userId, name);
  await history.append(author.userId, name, {
    action,
    author: author.author,
    at: now(),
    threadId: author.threadId,
    filePath: file.text,
    previous,
    next,
    findings: [...findings],
  });
}

interface AuditedEdit {
  readonly change: string;
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** A line of the audit log, which says when something critical was confirmed. */
export async function recordAudit(
  { audit }: Pick<SkillEditing, 'audit'>,
  { userId, clientIp, author }: SkillAuthor,
  { change, name, findings }: AuditedEdit,
): Promise<void> {
  const details = { change, skill: `custom/${name}`, by: author };
  await audit.append({
    act: 'skills_change',
    actor: userId,
    clientIp,
    subject: null,
    details: isBlocking(findings) ? { ...details, confirmed: true } : details,
  });
}

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
