// A skill on the wire (contract, Skill).
import { z } from 'zod';
import type { Skill } from '../../skills/skill-catalog.ts';
import type { SkillDetail } from '../../skills/skill-detail.ts';
import { skillPath } from '../../skills/skill-places.ts';

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

export const skillDetailSchema = skillSchema
  .extend({
    allowed_tools: z.array(z.string()),
    restricts_tools: z
      .boolean()
      .meta({ description: 'While it is active, only its `allowed_tools` may be used' }),
    content: z.string().meta({ description: 'The instructions: SKILL.md without its front matter' }),
    files: z.array(z.object({ path: z.string(), size: z.int() })),
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

export function presentSkillDetail({ skill, body, files }: SkillDetail): z.output<typeof skillDetailSchema> {
  return {
    ...presentSkill(skill),
    allowed_tools: [...(skill.allowedTools ?? [])],
    restricts_tools: skill.allowedTools !== undefined,
    content: body,
    files: files.map(({ path, size }) => ({ path, size })),
  };
}
