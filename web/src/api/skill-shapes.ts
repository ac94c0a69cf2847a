// The bodies about skills that the app reads, as far as it reads them.
import * as z from 'zod/mini';

const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  file: z.string(),
  line: z.nullable(z.number()),
  message: z.string(),
});
/** What the scan of a skill noticed. */
export type Finding = z.infer<typeof findingSchema>;

const SKILL = {
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  /** For the signed-in person. */
  enabled: z.boolean(),
  license: z.string(),
  category: z.enum(['public', 'custom']),
  editable: z.boolean(),
  /** False: an administrator switched it off for everyone. */
  globally_enabled: z.boolean(),
};
const skillSchema = z.object(SKILL);
export type Skill = z.infer<typeof skillSchema>;
export const skillListSchema = z.object({ skills: z.array(skillSchema) });

const deletedSkillSchema = z.object({ name: z.string(), deleted_at: z.string() });
/** It can be restored. */
export type DeletedSkill = z.infer<typeof deletedSkillSchema>;
export const deletedSkillsSchema = z.object({ skills: z.array(deletedSkillSchema) });

export const skillDetailSchema = z.object({
  ...SKILL,
  allowed_tools: z.array(z.string()),
  /** False: `allowed_tools` is empty, and every tool may be used. */
  restricts_tools: z.boolean(),
  /** Markdown, without the front matter. */
  content: z.string(),
  /** Paths within the skill; sizes in bytes. */
  files: z.array(z.object({ path: z.string(), size: z.number() })),
  provenance: z.nullable(
    z.object({
      installed_at: z.string(),
      installed_by: z.string(),
      file_name: z.string(),
      sha256: z.string(),
    }),
  ),
  findings: z.array(findingSchema),
});
export type SkillDetail = z.infer<typeof skillDetailSchema>;

export const installedSkillSchema = z.object({
  skill: z.object({ name: z.string(), display_name: z.string() }),
  findings: z.array(findingSchema),
});
export type InstalledSkill = z.infer<typeof installedSkillSchema>;

/** What is said beside the refusal of a package or a text. */
export const refusedSkillSchema = z.object({
  detail: z.object({ code: z.literal('skill_blocked'), findings: z.array(findingSchema) }),
});

const skillChangeSchema = z.object({
  index: z.number(),
  action: z.string(),
  author: z.string(),
  at: z.string(),
  file_path: z.string(),
  /** Null: there was no such file. */
  previous_content: z.nullable(z.string()),
  /** Null: the file was removed. */
  new_content: z.nullable(z.string()),
});
/** One change of one file of a skill. */
export type SkillChange = z.infer<typeof skillChangeSchema>;
export const skillHistorySchema = z.object({ history: z.array(skillChangeSchema) });
