// Puts the parts of skills together.
import { fileURLToPath } from 'node:url';
import type { SkillRouteDependencies } from './http/routes/skills.ts';
import type { Log } from './log.ts';
import type { EnabledSkillsOf } from './skills/enabled-skill.ts';
import type { SkillOptions } from './skills/skill-options.ts';
import { createSkills } from './skills/skills.ts';
import type { Storage } from './storage/storage.ts';
import type { DiskUseOfUser } from './workspace/quota/disk-use.ts';

interface SkillRoom {
  readonly routes: SkillRouteDependencies;
  /** For runs. */
  readonly enabledOf: EnabledSkillsOf;
}

interface SkillRoomParts {
  readonly options: SkillOptions;
  readonly dataHome: string;
  readonly storage: Pick<Storage, 'audit'>;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly log: Log;
  readonly newId: () => string;
}

/** What comes with the service. */
const SHIPPED = fileURLToPath(new URL('../skills/public', import.meta.url));

export function createSkillRoom(parts: SkillRoomParts): SkillRoom {
  const { options, dataHome, storage, diskUseOfUser, log, newId } = parts;
  const skills = createSkills({
    dataHome,
    publicFolder: options.public_folder ?? SHIPPED,
    diskUseOfUser,
    audit: storage.audit,
    log,
    newId,
  });
  return { routes: { skills }, enabledOf: skills.enabledOf };
}
