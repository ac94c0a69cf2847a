// The skills that a person has: their own, and the public ones that none of their own hides.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { DraftAt } from '../workspace/plain-file.ts';
import type { EnabledSkill, EnabledSkillsOf } from './enabled-skill.ts';
import { SHARED_SKILLS, skillPath, skillPlaces } from './skill-places.ts';
import { createSkillShelf, type ShelvedSkill, type SkillShelf } from './skill-shelf.ts';
import { createSkillSwitches, type SkillSwitches } from './skill-switches.ts';

export interface Skill extends ShelvedSkill {
  /** For the person who asks. */
  readonly isEnabled: boolean;
  /** Only a public one can be off for everybody. */
  readonly isEnabledForAll: boolean;
}

export interface SkillCatalog {
  /** Sorted by name. */
  list(userId: string): Promise<readonly Skill[]>;
  /** Throws `not_found`. */
  get(userId: string, name: string): Promise<Skill>;
  readonly enabledOf: EnabledSkillsOf;
  /** Of one person. */
  switchesOf(userId: string): SkillSwitches;
  /** Of public skills, for everybody. */
  readonly sharedSwitches: SkillSwitches;
}

interface SkillCatalogParts {
  readonly dataHome: string;
  /** Absolute; what is not there has no skills. */
  readonly publicFolder: string;
  readonly diskUseOfUser: (userId: string) => DraftAt['diskUse'];
  readonly log: Pick<Log, 'warn'>;
  readonly newId: () => string;
}

interface Person {
  readonly shelf: SkillShelf;
  readonly switches: SkillSwitches;
  /** What was made of these, the last time. */
  made: { readonly of: readonly unknown[]; readonly lists: Lists } | undefined;
}

interface Lists {
  readonly all: readonly Skill[];
  readonly enabled: readonly EnabledSkill[];
}

/** Whoever asks less often than so many others is read anew. */
const REMEMBERED = 1_000;
const NO_ACCOUNT: DraftAt['diskUse'] = { admit: async () => {}, added: () => {} };

export function createSkillCatalog(parts: SkillCatalogParts): SkillCatalog {
  const { dataHome, publicFolder, diskUseOfUser, log, newId } = parts;
  const shared = createSkillShelf({ category: 'public', root: publicFolder, names: [], log });
  const sharedSwitches = createSkillSwitches({
    dataHome,
    names: SHARED_SKILLS,
    diskUse: NO_ACCOUNT,
    newId,
  });
  const people = new LRUCache<string, Person>({ max: REMEMBERED });
  const personOf = (userId: string): Person => {
    const known = people.get(userId);
    if (known !== undefined) return known;
    const places = skillPlaces(userId);
    const person: Person = {
      shelf: createSkillShelf({ category: 'custom', root: dataHome, names: places.custom, log }),
      switches: createSkillSwitches({
        dataHome,
        names: places.all,
        diskUse: diskUseOfUser(userId),
        newId,
      }),
      made: undefined,
    };
    people.set(userId, person);
    return person;
  };
  const listsOf = async (userId: string): Promise<Lists> => {
    const person = personOf(userId);
    const [offForAll, off, common, own] = await Promise.all([
      sharedSwitches.off(),
      person.switches.off(),
      shared.skills(),
      person.shelf.skills(),
    ]);
    const of = [offForAll, off, common, own];
    if (person.made?.of.every((part, index) => part === of[index])) return person.made.lists;
    const lists = toLists({ offForAll, off, common, own });
    person.made = { of, lists };
    return lists;
  };
  return {
    list: async (userId) => (await listsOf(userId)).all,
    async get(userId, name) {
      const skill = (await listsOf(userId)).all.find((one) => one.name === name);
      if (skill === undefined) throw noSuchSkill(name);
      return skill;
    },
    enabledOf: async (userId) => (await listsOf(userId)).enabled,
    switchesOf: (userId) => personOf(userId).switches,
    sharedSwitches,
  };
}

function toLists(from: {
  readonly offForAll: ReadonlySet<string>;
  readonly off: ReadonlySet<string>;
  readonly common: readonly ShelvedSkill[];
  readonly own: readonly ShelvedSkill[];
}): Lists {
  const byName = new Map([...from.common, ...from.own].map((skill) => [skill.name, skill]));
  const all = [...byName.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((skill): Skill => {
      const path = skillPath(skill);
      const isEnabledForAll = skill.category === 'custom' || !from.offForAll.has(path);
      return { ...skill, isEnabledForAll, isEnabled: isEnabledForAll && !from.off.has(path) };
    });
  return { all, enabled: all.filter(({ isEnabled }) => isEnabled).map(toEnabled) };
}

function toEnabled({ name, description, category, allowedTools, folder }: Skill): EnabledSkill {
  return { name, description, category, allowedTools, folder };
}

export function noSuchSkill(name: string): ServiceError {
  return new ServiceError('not_found', `Skill '${name.slice(0, 100)}' not found`);
}
