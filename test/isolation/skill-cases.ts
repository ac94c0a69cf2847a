// Routes about skills.
import type { Cases } from './attacks.ts';

/** A whole SKILL.md, with this name. */
export function skillText(name: string, text: string): string {
  return `---\nname: ${name}\ndescription: Notes of ${text}.\n---\n${text}\n`;
}

export const SKILLS: Cases = {
  'GET /api/skills': {},
  'POST /api/skills': { body: { content: skillText('mine', 'mine') } },
  'POST /api/skills/install': {},
  'GET /api/skills/{skill_name}': {},
  'PUT /api/skills/{skill_name}': { body: { enabled: false } },
  'DELETE /api/skills/{skill_name}': {},
  'GET /api/skills/{skill_name}/files/{path}': {},
  'PUT /api/skills/{skill_name}/files/{path}': { text: 'mine' },
  'DELETE /api/skills/{skill_name}/files/{path}': {},
  'GET /api/skills/{skill_name}/history': {},
  'POST /api/skills/{skill_name}/rollback': { body: {} },
  'GET /api/deleted-skills': {},
  'POST /api/deleted-skills/{skill_name}/restore': {},
  'DELETE /api/deleted-skills/{skill_name}': {},
  'POST /api/skills/{skill_name}/enable': {},
  'POST /api/skills/{skill_name}/disable': {},
};
