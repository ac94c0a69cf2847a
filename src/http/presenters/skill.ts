// A skill on the wire (docs/contract/skills.md#listing).
import { z } from 'zod';
import type { DeletedSkill } from '../../skills/edit/deleted-skills.ts';
import type { SkillChange } from '../../skills/edit/skill-history.ts';
import type { Provenance } from '../../skills/package/provenance.ts';
import type { Finding } from '../../skills/scan/finding.ts';
import type { Skill } from '../../skills/skill-catalog.ts';
import type { SkillDetail } from '../../skills/skill-detail.ts';
import { skillPath } from '../../skills/skill-places.ts';
import { sha256Field, threadIdField, timeField, timestamp, userIdField } from './wire-fields.ts';

export const skillSchema = z
  .object({
    name: z.string().meta({ examples: ['code-review'] }),
    display_name: z.string().meta({ examples: ['Code review'] }),
    description: z.string(),
    enabled: z.boolean().meta({ description: 'For you' }),
    license: z.string().meta({ description: 'Empty when it names none' }),
    path: z.string().meta({ examples: ['public/code-review'] }),
    category: z.enum(['public', 'custom']),
    editable: z.boolean().meta({ description: 'Your own skills are' }),
    globally_enabled: z
      .boolean()
      .meta({ description: 'False: an administrator has switched it off for everyone' }),
  })
  .meta({ id: 'Skill' });

export const findingSchema = z
  .object({
    rule: z.string().meta({ examples: ['shell-download'] }),
    severity: z.enum(['info', 'warning', 'critical']),
    file: z.string(),
    line: z.int().nullable().meta({ description: 'Null: about the whole file' }),
    message: z.string(),
  })
  .meta({ id: 'SkillFinding' });

export const blockedSchema = z
  .object({
    detail: z.union([
      z.object({
        code: z.literal('skill_blocked'),
        message: z.string(),
        findings: z.array(findingSchema),
      }),
      z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })),
    ]),
  })
  .meta({ id: 'SkillBlocked' });

export const skillChangeSchema = z
  .object({
    index: z.int(),
    action: z.enum(['create', 'edit', 'patch', 'delete', 'write_file', 'remove_file', 'rollback']),
    author: z.enum(['agent', 'human']),
    at: timeField,
    thread_id: threadIdField.nullable().meta({ description: 'In which the agent did it' }),
    file_path: z.string(),
    previous_content: z.string().nullable(),
    new_content: z.string().nullable(),
    findings: z.array(findingSchema),
  })
  .meta({ id: 'SkillChange' });

export const deletedSkillSchema = z
  .object({
    name: z.string().meta({ examples: ['weekly-report'] }),
    deleted_at: timeField,
  })
  .meta({ id: 'DeletedSkill' });

const BLOCKED =
  'The scan found something critical. Take it out. An administrator who has looked at it can confirm it for themselves, or offer it as a public skill.';

const provenanceSchema = z.object({
  installed_at: timeField,
  installed_by: userIdField,
  file_name: z.string(),
  sha256: sha256Field,
});

export const skillDetailSchema = skillSchema
  .extend({
    allowed_tools: z.array(z.string()),
    restricts_tools: z
      .boolean()
      .meta({ description: 'While it is active, only its `allowed_tools` may be used' }),
    content: z.string().meta({ description: 'The instructions: SKILL.md without its front matter' }),
    files: z.array(z.object({ path: z.string(), size: z.int() })),
    provenance: provenanceSchema
      .nullable()
      .meta({ description: 'Of a skill that was installed from a package' }),
    findings: z.array(findingSchema).meta({ description: 'What a scan of its files found, worst first' }),
  })
  .meta({ id: 'SkillDetail' });

export function presentSkill(skill: Skill): z.output<typeof skillSchema> {
  return {
    name: skill.name,
    display_name: skill.displayName,
    description: skill.description,
    enabled: skill.isEnabled,
    license: skill.license,
    path: skillPath(skill),
    category: skill.category,
    editable: skill.category === 'custom',
    globally_enabled: skill.isEnabledForAll,
  };
}

export function presentFinding(finding: Finding): z.output<typeof findingSchema> {
  const { rule, severity, file, line, message } = finding;
  return { rule, severity, file, line, message };
}

export function presentDeletedSkill({ name, deletedAt }: DeletedSkill): z.output<typeof deletedSkillSchema> {
  return { name, deleted_at: timestamp(deletedAt) };
}

/** The body of the refusal. */
export function presentBlocked(findings: readonly Finding[]): z.output<typeof blockedSchema> {
  return { detail: { code: 'skill_blocked', message: BLOCKED, findings: findings.map(presentFinding) } };
}

export function presentSkillChange(change: SkillChange): z.output<typeof skillChangeSchema> {
  return {
    index: change.index,
    action: change.action,
    author: change.author,
    at: timestamp(change.at),
    thread_id: change.threadId,
    file_path: change.filePath,
    previous_content: change.previous,
    new_content: change.next,
    findings: change.findings.map(presentFinding),
  };
}

export function presentSkillDetail(detail: SkillDetail): z.output<typeof skillDetailSchema> {
  const { skill, body, files, provenance, findings } = detail;
  return {
    ...presentSkill(skill),
    allowed_tools: [...(skill.allowedTools ?? [])],
    restricts_tools: skill.allowedTools !== undefined,
    content: body,
    files: files.map(({ path, size }) => ({ path, size })),
    provenance: provenance === undefined ? null : presentProvenance(provenance),
    findings: findings.map(presentFinding),
  };
}

function presentProvenance({ installedAt, installedBy, fileName, sha256 }: Provenance) {
  return {
    installed_at: timestamp(installedAt),
    installed_by: installedBy,
    file_name: fileName,
    sha256,
  };
}
