// What all changes of skills share: their dependencies, and the entries in the history and the audit log.
import type { JsonObject } from '../../messages/message.ts';
import type { AuditLog } from '../../storage/audit-log.ts';
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import type { SerialQueue } from '../../workspace/serial-queue.ts';
import type { PlacingParts } from '../place-skill.ts';
import { type Finding, isBlocking } from '../scan/finding.ts';
import type { SkillCatalog } from '../skill-catalog.ts';
import type { SkillClaims } from '../skill-claims.ts';
import type { DeletedSkills } from './deleted-skills.ts';
import type { SkillFilePath } from './skill-file-path.ts';
import type { SkillChange, SkillHistory } from './skill-history.ts';

export interface SkillEditing extends PlacingParts {
  readonly catalog: SkillCatalog;
  readonly claims: SkillClaims;
  /** The changes of a person, one after the other. */
  readonly queue: SerialQueue;
  readonly history: SkillHistory;
  readonly deleted: DeletedSkills;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Noted extends Pick<SkillChange, 'action' | 'previous' | 'next'> {
  readonly name: string;
  readonly file: SkillFilePath;
  readonly findings: readonly Finding[];
}

/**
 * Appends an entry to the history. Callers call it before the change, so that no change lacks its entry.
 * Throws `conflict` when another process has claimed the skill.
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

/** Appends an entry to the audit log about a change by the person or their agent. */
export function recordAudit(
  parts: Pick<SkillEditing, 'audit'>,
  author: SkillAuthor,
  { change, name, findings }: AuditedEdit,
): Promise<void> {
  const details = { change, skill: `custom/${name}`, by: author.author };
  return recordSkillAct(parts, author, { details, findings });
}

/** Appends an entry to the audit log, which records when critical findings were confirmed. */
export async function recordSkillAct(
  { audit }: Pick<SkillEditing, 'audit'>,
  { userId, clientIp }: Pick<SkillAuthor, 'userId' | 'clientIp'>,
  { details, findings = [] }: { readonly details: JsonObject; readonly findings?: readonly Finding[] },
): Promise<void> {
  await audit.append({
    act: 'skills_change',
    actor: userId,
    clientIp,
    subject: null,
    details: isBlocking(findings) ? { ...details, confirmed: true } : details,
  });
}

/** The person who changes their own skill, or whose agent does. */
export interface SkillAuthor {
  readonly userId: string;
  readonly author: 'agent' | 'human';
  /** The thread of the agent. */
  readonly threadId: string | null;
  readonly clientIp: string | null;
  /** Whether an administrator has confirmed critical findings of the scan. */
  readonly isConfirmed: boolean;
}

export type EditOutcome =
  | {
      readonly kind: 'done';
      readonly name: string;
      readonly findings: readonly Finding[];
      /** The new version of the file that was written. */
      readonly version?: string;
    }
  /** The scan found something critical; nothing was written. */
  | { readonly kind: 'blocked'; readonly findings: readonly Finding[] };
