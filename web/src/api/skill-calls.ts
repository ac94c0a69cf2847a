// The calls about skills.
import { type Call, read } from './call.ts';
import type { UploadProgress } from './file-calls.ts';
import { requestErrorOf } from './service-error.ts';
import type { ServiceUpload } from './service-upload.ts';
import {
  type InstalledSkill,
  installedSkillSchema,
  type Skill,
  type SkillDetail,
  skillDetailSchema,
  skillListSchema,
} from './skill-shapes.ts';

export interface SkillSwitch {
  readonly name: string;
  readonly isOn: boolean;
  /** `everyone` is for administrators, and for public skills. */
  readonly scope: 'me' | 'everyone';
}

export interface SkillPackage {
  readonly file: File;
  /** An administrator has read what the scan found. */
  readonly isConfirmed: boolean;
}

export function createSkillCalls(call: Call, upload: ServiceUpload) {
  return {
    /** By name. */
    skills: async (): Promise<readonly Skill[]> =>
      (await read(await call('GET', '/api/skills'), skillListSchema)).skills,
    skill: async (name: string): Promise<SkillDetail> =>
      read(await call('GET', skillPath(name)), skillDetailSchema),
    switchSkill: ({ name, isOn, scope }: SkillSwitch) =>
      call('POST', `${skillPath(name)}/${isOn ? 'enable' : 'disable'}`, { scope }),
    /** Throws RequestError `skill_blocked`, with the findings in its body, for what must be confirmed first. */
    installSkill: (it: SkillPackage, progress: UploadProgress) => installSkill(upload, it, progress),
  };
}

async function installSkill(
  upload: ServiceUpload,
  { file, isConfirmed }: SkillPackage,
  progress: UploadProgress,
): Promise<InstalledSkill> {
  const body = new FormData();
  if (isConfirmed) body.append('confirm', 'true');
  body.append('file', file, file.name);
  const response = await upload({ path: '/api/skills/install', body, ...progress });
  if (!response.ok) throw await requestErrorOf(response);
  return read(response, installedSkillSchema);
}

function skillPath(name: string): string {
  return `/api/skills/${encodeURIComponent(name)}`;
}
