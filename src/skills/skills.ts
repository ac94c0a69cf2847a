// Puts the room of skills together.
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { DiskUseOfUser } from '../workspace/quota/disk-use.ts';
import { createSerialQueue } from '../workspace/serial-queue.ts';
import { createDeletedSkills } from './edit/deleted-skills.ts';
import { createSkillEditor, type SkillEditor } from './edit/skill-editor.ts';
import { createSkillHistory } from './edit/skill-history.ts';
import { createInstallSkill, type InstallSkill } from './package/install-skill.ts';
import { createSkillTransfer, type SkillTransfer } from './package/skill-transfer.ts';
import { createSkillCatalog, type SkillCatalog } from './skill-catalog.ts';
import { createSkillClaims } from './skill-claims.ts';
import {
  createReadSkillFile,
  createSkillDetails,
  type ReadSkillFile,
  type SkillDetailOf,
} from './skill-detail.ts';
import type { SkillOptions } from './skill-options.ts';
import { createSkillSwitches } from './skill-switches.ts';
import { createSwitchSkill, type SwitchSkill } from './switch-skill.ts';

export interface Skills extends Pick<SkillCatalog, 'list' | 'enabledOf'> {
  readonly detailOf: SkillDetailOf;
  readonly switch: SwitchSkill;
  readonly install: InstallSkill;
  readonly readFile: ReadSkillFile;
  readonly editor: SkillEditor;
  readonly transfer: SkillTransfer;
}

/** What skills need of the database. */
export type SkillStorage = Pick<Storage, 'as' | 'audit' | 'sharedSkillSwitches'>;

interface SkillsParts {
  readonly dataHome: string;
  /** Absolute; what is not there has no skills. */
  readonly publicFolder: string;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly options: Pick<SkillOptions, 'max_per_user' | 'max_package_mb'>;
  readonly storage: SkillStorage;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

export function createSkills(parts: SkillsParts): Skills {
  const { dataHome, publicFolder, diskUseOfUser, storage, options, log, now, newId } = parts;
  const { audit } = storage;
  const switches = createSkillSwitches(parts);
  const catalog = createSkillCatalog({ dataHome, publicFolder, switches, log });
  const claims = createSkillClaims(parts);
  const queue = createSerialQueue();
  const maxSkills = options.max_per_user;
  const changing = { dataHome, diskUseOfUser, queue, claims, switches, audit, maxSkills, now, newId };
  return {
    list: catalog.list,
    enabledOf: catalog.enabledOf,
    detailOf: createSkillDetails({ catalog }),
    switch: createSwitchSkill({ catalog, switches, audit }),
    install: createInstallSkill({
      ...changing,
      maxPackageBytes: options.max_package_mb * 1_048_576,
    }),
    readFile: createReadSkillFile({ catalog }),
    transfer: createSkillTransfer({ ...changing, catalog }),
    editor: createSkillEditor({
      ...changing,
      catalog,
      history: createSkillHistory({ dataHome, diskUseOfUser, newId }),
      deleted: createDeletedSkills({ dataHome, claims, maxSkills }),
    }),
  };
}
