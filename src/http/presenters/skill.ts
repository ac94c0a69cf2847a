// Skills in their wire format (docs/contract/skills.md#listing).
import { z } from 'zod';
import type { SkillChange } from '../../skills/edit/skill-history.ts';
import type { Finding } from '../../skills/scan/finding.ts';
import type { Skill } from '../../skills/skill-catalog.ts';
import type { SkillDetail } from '../../skills/skill-detail.ts';
import { skillPath } from '../../skills/skill-places.ts';
import { presenterOf } from './presenter-of.ts';
import { sha256Field, threadIdField, timeField, userIdField } from './wire-fields.ts';

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
  'The scan found something critical. Remove it. After a review, an administrator can confirm the skill for themselves or offer it as a public skill.';

const provenanceSchema = z.object({
  installed_at: timeField,
  installed_by: userIdField,
  file_name: z.string(),
  sha256: sha256Field,
});

const presentProvenance = presenterOf(provenanceSchema);

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
    findings: z.array(findingSchema).meta({ description: 'Findings of the scan of its files, worst first' }),
  })
  .meta({ id: 'SkillDetail' });

const presentShelved = presenterOf(skillSchema);

export function presentSkill(skill: Skill): z.output<typeof skillSchema> {
  return presentShelved({
    ...skill,
    enabled: skill.isEnabled,
    path: skillPath(skill),
    editable: skill.category === 'custom',
    globallyEnabled: skill.isEnabledForAll,
  });
}

export const presentFinding = presenterOf(findingSchema);

export const presentDeletedSkill = presenterOf(deletedSkillSchema);

/** Returns the body of the refusal. */
export function presentBlocked(findings: readonly Finding[]): z.output<typeof blockedSchema> {
  return { detail: { code: 'skill_blocked', message: BLOCKED, findings: findings.map(presentFinding) } };
}

const presentChange = presenterOf(skillChangeSchema);

export function presentSkillChange(change: SkillChange): z.output<typeof skillChangeSchema> {
  const { previous: previousContent, next: newContent, findings } = change;
  return presentChange({ ...change, previousContent, newContent, findings: findings.map(presentFinding) });
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
