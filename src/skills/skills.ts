// Creates skills: for people, who manage them, and for runs, which read them.

import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';
import type { AccountSkills } from '../storage/account-packages.ts';
import type { Storage } from '../storage/storage.ts';
import type { DiskUseOfUser } from '../workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from '../workspace/read-only/read-only-folders.ts';
import { createSerialQueue } from '../workspace/serial-queue.ts';
import { createDeletedSkills } from './edit/deleted-skills.ts';
import { createSkillEditor, type SkillEditor } from './edit/skill-editor.ts';
import { createSkillHistory } from './edit/skill-history.ts';
import { createInstallSkill, type InstallSkill } from './package/install-skill.ts';
import { createSkillTransfer } from './package/skill-transfer.ts';
import { createSkillCatalog, type SkillCatalog } from './skill-catalog.ts';
import { createSkillClaims } from './skill-claims.ts';
import {
  createReadSkillFile,
  createSkillDetails,
  type ReadSkillFile,
  type SkillDetailOf,
} from './skill-detail.ts';
import { createSkillFolders } from './skill-folders.ts';
import type { SkillOptions } from './skill-options.ts';
import { createSkillSwitches } from './skill-switches.ts';
import { createSwitchSkill, type SwitchSkill } from './switch-skill.ts';

export interface Skills extends Pick<SkillCatalog, 'list' | 'enabledOf'> {
  readonly detailOf: SkillDetailOf;
  readonly switch: SwitchSkill;
  readonly install: InstallSkill;
  readonly readFile: ReadSkillFile;
  readonly editor: SkillEditor;
  readonly transfer: AccountSkills;
  /** Where runs read skills. */
  readonly folders: ReadOnlyFolders;
}

interface SkillsParts {
  readonly dataHome: string;
  /** Absolute. A folder that does not exist has no skills. Absent: the skills that come with the service. */
  readonly publicFolder?: string | undefined;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly options: Pick<SkillOptions, 'max_per_user' | 'max_package_mb'>;
  readonly storage: Pick<Storage, 'as' | 'audit' | 'sharedSkillSwitches'>;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

const SHIPPED = fileURLToPath(new URL('../../skills/public', import.meta.url));

export function createSkills(parts: SkillsParts): Skills {
  const { dataHome, publicFolder = SHIPPED, diskUseOfUser, storage, options, log, now, newId } = parts;
  const { audit } = storage;
  const switches = createSkillSwitches({ dataHome, storage });
  const catalog = createSkillCatalog({ dataHome, publicFolder, switches, log });
  const claims = createSkillClaims({ storage, now, newId });
  const maxSkills = options.max_per_user;
  const changing = {
    dataHome,
    switches,
    maxSkills,
    diskUseOfUser,
    queue: createSerialQueue(),
    catalog,
    claims,
    history: createSkillHistory({ dataHome, diskUseOfUser, newId }),
    deleted: createDeletedSkills({ dataHome, switches, claims, maxSkills }),
    audit,
    maxPackageBytes: options.max_package_mb * 1_048_576,
    now,
    newId,
  };
  return {
    list: catalog.list,
    enabledOf: catalog.enabledOf,
    folders: createSkillFolders(catalog.enabledOf),
    detailOf: createSkillDetails({ catalog }),
    switch: createSwitchSkill(changing),
    install: createInstallSkill(changing),
    readFile: createReadSkillFile({ catalog }),
    transfer: createSkillTransfer(changing),
    editor: createSkillEditor(changing),
  };
}
