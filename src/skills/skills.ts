// Puts the room of skills together.
import type { Log } from '../log.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { DraftAt } from '../workspace/plain-file.ts';
import { createSerialQueue } from '../workspace/serial-queue.ts';
import { createSkillCatalog, type SkillCatalog } from './skill-catalog.ts';
import { createSkillDetails, type SkillDetailOf } from './skill-detail.ts';
import { createSwitchSkill, type SwitchSkill } from './switch-skill.ts';

export interface Skills extends Pick<SkillCatalog, 'list' | 'enabledOf'> {
  readonly detailOf: SkillDetailOf;
  readonly switch: SwitchSkill;
}

interface SkillsParts {
  readonly dataHome: string;
  /** Absolute; what is not there has no skills. */
  readonly publicFolder: string;
  readonly diskUseOfUser: (userId: string) => DraftAt['diskUse'];
  readonly audit: Pick<AuditLog, 'append'>;
  readonly log: Pick<Log, 'warn'>;
  readonly newId: () => string;
}

export function createSkills(parts: SkillsParts): Skills {
  const { audit } = parts;
  const catalog = createSkillCatalog(parts);
  const queue = createSerialQueue();
  return {
    list: catalog.list,
    enabledOf: catalog.enabledOf,
    detailOf: createSkillDetails({ catalog }),
    switch: createSwitchSkill({ catalog, queue, audit }),
  };
}
