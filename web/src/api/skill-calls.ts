// The calls about a person's skills, and their shapes.
import * as z from 'zod/mini';
import { type Call, read } from './call.ts';
import { readContent, type UploadProgress } from './file-calls.ts';
import type { FileContent } from './file-shapes.ts';
import { requestErrorOf } from './service-error.ts';
import type { ServiceUpload } from './service-fetch.ts';

const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  file: z.string(),
  line: z.nullable(z.number()),
  message: z.string(),
});
/** A finding of the skill scan. */
export type Finding = z.infer<typeof findingSchema>;

const SKILL = {
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  /** Whether the skill is on for the signed-in person. */
  enabled: z.boolean(),
  license: z.string(),
  category: z.enum(['public', 'custom']),
  editable: z.boolean(),
  /** False when an administrator switched the skill off for everyone. */
  globally_enabled: z.boolean(),
};
const skillSchema = z.object(SKILL);
export type Skill = z.infer<typeof skillSchema>;
const skillListSchema = z.object({ skills: z.array(skillSchema) });

const deletedSkillSchema = z.object({ name: z.string(), deleted_at: z.string() });
/** A deleted skill that can be restored. */
export type DeletedSkill = z.infer<typeof deletedSkillSchema>;
const deletedSkillsSchema = z.object({ skills: z.array(deletedSkillSchema) });

const skillDetailSchema = z.object({
  ...SKILL,
  allowed_tools: z.array(z.string()),
  /** False when every tool may be used. `allowed_tools` is then empty. */
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

const installedSkillSchema = z.object({
  skill: z.object({ name: z.string(), display_name: z.string() }),
  findings: z.array(findingSchema),
});
export type InstalledSkill = z.infer<typeof installedSkillSchema>;

/** The body of the response that refuses a package or a text. */
export const refusedSkillSchema = z.object({
  detail: z.object({ code: z.literal('skill_blocked'), findings: z.array(findingSchema) }),
});

const skillChangeSchema = z.object({
  index: z.number(),
  action: z.string(),
  author: z.string(),
  at: z.string(),
  file_path: z.string(),
  /** Null when the file did not exist. */
  previous_content: z.nullable(z.string()),
  /** Null when the change removed the file. */
  new_content: z.nullable(z.string()),
});
/** One change of one file of a skill. */
export type SkillChange = z.infer<typeof skillChangeSchema>;
const skillHistorySchema = z.object({ history: z.array(skillChangeSchema) });

export interface SkillSwitch {
  readonly name: string;
  readonly isOn: boolean;
  /** `everyone` is only for administrators and public skills. */
  readonly scope: 'me' | 'everyone';
}

interface Confirmed {
  /** True when an administrator has read the findings of the scan. */
  readonly isConfirmed: boolean;
}

export interface SkillPackage extends Confirmed {
  readonly file: File;
}

export interface NewSkill extends Confirmed {
  /** A whole SKILL.md, which contains the name of the skill. */
  readonly content: string;
}

export interface WrittenFile extends Confirmed {
  readonly path: string;
  readonly text: string;
}

export interface WayBack extends Confirmed {
  /** The change to undo. */
  readonly index: number;
}

/** Larger files of a skill are not shown. */
const MOST_SHOWN_BYTES = 1_000_000;

export function createSkillCalls(call: Call, upload: ServiceUpload) {
  return {
    /** Sorted by name. */
    skills: async (): Promise<readonly Skill[]> =>
      (await read(await call('GET', '/api/skills'), skillListSchema)).skills,
    skill: async (name: string): Promise<SkillDetail> =>
      read(await call('GET', skillPath(name)), skillDetailSchema),
    switchSkill: ({ name, isOn, scope }: SkillSwitch) =>
      call('POST', `${skillPath(name)}/${isOn ? 'enable' : 'disable'}`, { scope }),
    /**
     * Methods that change a skill throw RequestError `skill_blocked` when findings must be confirmed first.
     * Its body has them.
     */
    createSkill: async ({ content, isConfirmed }: NewSkill): Promise<SkillDetail> =>
      read(await call('POST', '/api/skills', { content, confirm: isConfirmed }), skillDetailSchema),
    deleteSkill: (name: string) => call('DELETE', skillPath(name)),
    /** The last deleted skill first. */
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
    /** Newest last. */
    skillHistory: async (name: string): Promise<readonly SkillChange[]> =>
      (await read(await call('GET', `${skillPath(name)}/history`), skillHistorySchema)).history,
    /** Restores what one change replaced or removed. */
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
