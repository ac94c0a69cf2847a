// Puts the parts of skills together.
import { fileURLToPath } from 'node:url';
import { createSkillSource } from './agent/sources/skill-source.ts';
import type { ToolSource } from './agent/tool-source.ts';
import type { SkillRouteDependencies } from './http/routes/skills.ts';
import type { Log } from './log.ts';
import type { SkillTransfer } from './skills/package/skill-transfer.ts';
import { createSkillFolders } from './skills/skill-folders.ts';
import type { SkillOptions } from './skills/skill-options.ts';
import { createSkills, type SkillStorage } from './skills/skills.ts';
import { createSkillManageTool } from './tools/skill-manage.ts';
import type { DiskUseOfUser } from './workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from './workspace/read-only/read-only-folders.ts';

interface SkillRoom {
  readonly routes: SkillRouteDependencies;
  /** What runs get of skills. */
  readonly source: ToolSource;
  /** As packages of accounts have them. */
  readonly transfer: SkillTransfer;
  /** Where runs read them. */
  readonly folders: ReadOnlyFolders;
}

interface SkillRoomParts {
  readonly options: SkillOptions;
  readonly dataHome: string;
  readonly storage: SkillStorage;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** What comes with the service. */
const SHIPPED = fileURLToPath(new URL('../skills/public', import.meta.url));

export function createSkillRoom(parts: SkillRoomParts): SkillRoom {
  const { options, dataHome, storage, diskUseOfUser, log, now, newId } = parts;
  const skills = createSkills({
    dataHome,
    publicFolder: options.public_folder ?? SHIPPED,
    diskUseOfUser,
    options,
    storage,
    log,
    now,
    newId,
  });
  const tools = options.manage_tool ? [createSkillManageTool(skills.editor)] : [];
  const folders = createSkillFolders(skills.enabledOf);
  return {
    routes: { skills },
    transfer: skills.transfer,
    source: createSkillSource({ skillsOf: skills.enabledOf, folders, tools, log }),
    folders,
  };
}
