// The calls about skills.
import { type Call, read } from './call.ts';
import type { UploadProgress } from './file-calls.ts';
import type { FileContent } from './file-shapes.ts';
import { readContent } from './read-content.ts';
import { requestErrorOf } from './service-error.ts';
import type { ServiceUpload } from './service-upload.ts';
import {
  type DeletedSkill,
  deletedSkillsSchema,
  type InstalledSkill,
  installedSkillSchema,
  type Skill,
  type SkillChange,
  type SkillDetail,
  skillDetailSchema,
  skillHistorySchema,
  skillListSchema,
} from './skill-shapes.ts';

export interface SkillSwitch {
  readonly name: string;
  readonly isOn: boolean;
  /** `everyone` is for administrators, and for public skills. */
  readonly scope: 'me' | 'everyone';
}

interface Confirmed {
  /** An administrator has read what the scan found. */
  readonly isConfirmed: boolean;
}

export interface SkillPackage extends Confirmed {
  readonly file: File;
}

export interface NewSkill extends Confirmed {
  /** A whole SKILL.md, which names the skill. */
  readonly content: string;
}

export interface WrittenFile extends Confirmed {
  readonly path: string;
  readonly text: string;
}

export interface WayBack extends Confirmed {
  /** Of the change that is taken back. */
  readonly index: number;
}

/** Beyond that, a file of a skill is not shown. */
const MOST_SHOWN_BYTES = 1_000_000;

export function createSkillCalls(call: Call, upload: ServiceUpload) {
  return {
    /** By name. */
    skills: async (): Promise<readonly Skill[]> =>
      (await read(await call('GET', '/api/skills'), skillListSchema)).skills,
    skill: async (name: string): Promise<SkillDetail> =>
      read(await call('GET', skillPath(name)), skillDetailSchema),
    switchSkill: ({ name, isOn, scope }: SkillSwitch) =>
      call('POST', `${skillPath(name)}/${isOn ? 'enable' : 'disable'}`, { scope }),
    /** Whatever changes a skill throws RequestError `skill_blocked`, with the findings in its body, where they must be confirmed first. */
    createSkill: async ({ content, isConfirmed }: NewSkill): Promise<SkillDetail> =>
      read(await call('POST', '/api/skills', { content, confirm: isConfirmed }), skillDetailSchema),
    deleteSkill: (name: string) => call('DELETE', skillPath(name)),
    /** The last one first. */
    deletedSkills: async (): Promise<readonly DeletedSkill[]> =>
      (await read(await call('GET', '/api/deleted-skills'), deletedSkillsSchema)).skills,
    restoreSkill: (name: string) => call('POST', `${deletedPath(name)}/restore`),
    /** Removes a deleted skill for good. */
    purgeSkill: (name: string) => call('DELETE', deletedPath(name)),
    installSkill: (it: SkillPackage, progress: UploadProgress) => installSkill(upload, it, progress),
    skillFile: async (name: string, path: string): Promise<FileContent> =>
      readContent(await call('GET', filePath(name, path)), MOST_SHOWN_BYTES),
    writeSkillFile: (name: string, { path, text, isConfirmed }: WrittenFile) =>
      call(
        'PUT',
        `${filePath(name, path)}${isConfirmed ? '?confirm=true' : ''}`,
        new Blob([text], { type: 'text/plain' }),
      ),
    removeSkillFile: (name: string, path: string) => call('DELETE', filePath(name, path)),
    /** The newest last. */
    skillHistory: async (name: string): Promise<readonly SkillChange[]> =>
      (await read(await call('GET', `${skillPath(name)}/history`), skillHistorySchema)).history,
    /** Puts back what one change replaced or removed. */
    rollBackSkill: (name: string, { index, isConfirmed }: WayBack) =>
      call('POST', `${skillPath(name)}/rollback`, { history_index: index, confirm: isConfirmed }),
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

function deletedPath(name: string): string {
  return `/api/deleted-skills/${encodeURIComponent(name)}`;
}

function filePath(name: string, path: string): string {
  return `${skillPath(name)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}
