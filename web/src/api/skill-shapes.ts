// The bodies about skills that the app reads, as far as it reads them.
import * as z from 'zod/mini';

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

export const skillDetailSchema = z.object({
  ...SKILL,
  allowed_tools: z.array(z.string()),
  /** False: `allowed_tools` is empty, and every tool may be used. */
  restricts_tools: z.boolean(),
  /** Markdown, without the front matter. */
  content: z.string(),
});
export type SkillDetail = z.infer<typeof skillDetailSchema>;
