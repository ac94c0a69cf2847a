// The calls about skills.
import { type Call, read } from './call.ts';
import { type Skill, type SkillDetail, skillDetailSchema, skillListSchema } from './skill-shapes.ts';

export interface SkillSwitch {
  readonly name: string;
  readonly isOn: boolean;
  /** `everyone` is for administrators, and for public skills. */
  readonly scope: 'me' | 'everyone';
}

export function createSkillCalls(call: Call) {
  return {
    /** By name. */
    skills: async (): Promise<readonly Skill[]> =>
      (await read(await call('GET', '/api/skills'), skillListSchema)).skills,
    skill: async (name: string): Promise<SkillDetail> =>
      read(await call('GET', skillPath(name)), skillDetailSchema),
    switchSkill: ({ name, isOn, scope }: SkillSwitch) =>
      call('POST', `${skillPath(name)}/${isOn ? 'enable' : 'disable'}`, { scope }),
  };
}

function skillPath(name: string): string {
  return `/api/skills/${encodeURIComponent(name)}`;
}
