// Switches skills on and off, for oneself or, if public, for everyone.
import { invalid, ServiceError } from '../errors.ts';
import { recordSkillAct, type SkillEditing } from './edit/skill-editing.ts';
import type { Skill } from './skill-catalog.ts';
import { skillPath } from './skill-places.ts';

/** The person who makes the request, and from where. */
export interface SkillPerson {
  readonly userId: string;
  readonly isAdministrator: boolean;
  readonly clientIp: string | null;
}

interface SkillSwitch {
  readonly name: string;
  readonly scope: 'me' | 'everyone';
  readonly isOn: boolean;
}

/**
 * Returns the skill with its new state. Throws `not_found`; `forbidden` when a person who is not an
 * administrator switches for everyone, or enables a skill that is disabled for everyone; `invalid` for
 * switching a custom skill for everyone.
 */
export type SwitchSkill = (person: SkillPerson, asked: SkillSwitch) => Promise<Skill>;

export function createSwitchSkill(parts: Pick<SkillEditing, 'catalog' | 'switches' | 'audit'>): SwitchSkill {
  const { catalog, switches } = parts;
  return async (person, asked) => {
    const { userId } = person;
    const { name, scope, isOn } = asked;
    const skill = await catalog.get(userId, name);
    const path = skillPath(skill);
    if (scope === 'everyone') {
      refuseForEveryone(person, skill);
      await switches.setForAll(path, isOn);
      const details = { change: isOn ? 'enable_for_everyone' : 'disable_for_everyone', skill: path };
      await recordSkillAct(parts, person, { details });
    } else {
      if (isOn && !skill.isEnabledForAll) throw offForEveryone(name);
      await switches.set(userId, path, isOn);
    }
    return catalog.get(userId, name);
  };
}

function refuseForEveryone({ isAdministrator }: SkillPerson, { category, name }: Skill): void {
  if (!isAdministrator)
    throw new ServiceError('forbidden', 'Only administrators can switch a skill for everyone.');
  if (category === 'custom')
    throw invalid(`'${name}' is your own skill, so it cannot be switched for everyone.`);
}

function offForEveryone(name: string): ServiceError {
  return new ServiceError(
    'forbidden',
    `An administrator has switched '${name}' off for everyone; only an administrator can switch it on again.`,
  );
}
