// The skills that a person has: their own, and the public ones that their own do not hide.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SkillsOff } from '../storage/skill-states.ts';
import type { EnabledSkill, EnabledSkillsOf } from './enabled-skill.ts';
import { skillPath, skillPlaces } from './skill-places.ts';
import { createSkillShelf, type ShelvedSkill, type SkillShelf } from './skill-shelf.ts';
import type { SkillSwitches } from './skill-switches.ts';

export interface Skill extends ShelvedSkill {
  /** For the person in question. */
  readonly isEnabled: boolean;
  /** Only a public skill can be disabled for everyone. */
  readonly isEnabledForAll: boolean;
}

export type SkillCatalog = ReturnType<typeof createSkillCatalog>;

interface SkillCatalogParts {
  readonly dataHome: string;
  /** Absolute. A folder that does not exist has no skills. */
  readonly publicFolder: string;
  readonly switches: SkillSwitches;
  readonly log: Pick<Log, 'warn'>;
}

interface Person {
  readonly shelf: SkillShelf;
  /** The last lists, with the values that they were computed from. */
  made: { readonly of: readonly unknown[]; readonly lists: Lists } | undefined;
}

interface Lists {
  readonly all: readonly Skill[];
  readonly enabled: readonly EnabledSkill[];
}

/** People whose skills are cached. The least recently used are read again. */
const REMEMBERED = 1_000;

export function createSkillCatalog({ dataHome, publicFolder, switches, log }: SkillCatalogParts) {
  const shared = createSkillShelf({ category: 'public', root: publicFolder, names: [], log });
  const people = new LRUCache<string, Person>({
    max: REMEMBERED,
    memoMethod(userId) {
      const names = skillPlaces(userId).custom;
      return { shelf: createSkillShelf({ category: 'custom', root: dataHome, names, log }), made: undefined };
    },
  });
  const listsOf = async (userId: string, asked: Promise<SkillsOff>): Promise<Lists> => {
    const person = people.memo(userId);
    const [off, common, own] = await Promise.all([asked, shared(), person.shelf()]);
    const of = [JSON.stringify(off), common, own];
    if (person.made?.of.every((part, index) => part === of[index])) return person.made.lists;
    const lists = toLists({ off, common, own });
    person.made = { of, lists };
    return lists;
  };
  const list = async (userId: string) => (await listsOf(userId, switches.off(userId))).all;
  const enabledOf: EnabledSkillsOf = async (userId) =>
    (await listsOf(userId, switches.offForRuns(userId))).enabled;
  return {
    /** Sorted by name. */
    list,
    /** Throws `not_found`. */
    async get(userId: string, name: string): Promise<Skill> {
      const skill = (await list(userId)).find((one) => one.name === name);
      if (skill === undefined) throw noSuchSkill(name);
      return skill;
    },
    /** For runs. */
    enabledOf,
    /** True when the service has a public skill of this name, even if a custom one hides it. */
    hasPublic: async (name: string): Promise<boolean> =>
      (await shared()).some((skill) => skill.name === name),
  };
}

function toLists(from: {
  readonly off: SkillsOff;
  readonly common: readonly ShelvedSkill[];
  readonly own: readonly ShelvedSkill[];
}): Lists {
  const off = { own: new Set(from.off.own), shared: new Set(from.off.shared) };
  const byName = new Map([...from.common, ...from.own].map((skill) => [skill.name, skill]));
  const all = [...byName.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((skill): Skill => {
      const path = skillPath(skill);
      const isEnabledForAll = skill.category === 'custom' || !off.shared.has(path);
      return { ...skill, isEnabledForAll, isEnabled: isEnabledForAll && !off.own.has(path) };
    });
  return { all, enabled: all.filter(({ isEnabled }) => isEnabled) };
}

export function noSuchSkill(name: string): ServiceError {
  return new ServiceError('not_found', `Skill '${name.slice(0, 100)}' not found`);
}
