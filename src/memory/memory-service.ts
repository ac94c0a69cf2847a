// What a person does with the memory of an agent: read it, change it, undo the last change.
import { conflict, ServiceError } from '../errors.ts';
import type { MemoryFact, MemoryRecord, MemoryRepository } from '../storage/memories.ts';
import { type FactPatch, isSameContent, withFact, withoutFact, withPatch } from './facts.ts';

/** One person, with the repository of that person's memories. */
export interface MemoryOwner {
  readonly userId: string;
  readonly memories: MemoryRepository;
}

/** A memory that was never written has no facts and revision 0. */
export type Memory = Omit<MemoryRecord, 'updatedAt'> & { readonly updatedAt: number | null };

type NewFact = Pick<MemoryFact, 'content' | 'category' | 'confidence'>;
/** A fact without an id, or with the id of another fact, gets a new one. */
export type BroughtFact = Omit<MemoryFact, 'id'> & { readonly id: string | undefined };

/**
 * Changes throw `conflict` with a sentence for a duplicate fact, one too many, or too many agents, and
 * `not_found` for a fact that is absent or somebody else's. They return the memory as it is afterwards.
 */
export interface MemoryService {
  get(owner: MemoryOwner, agent: string): Promise<Memory>;
  add(owner: MemoryOwner, agent: string, fact: NewFact): Promise<Memory>;
  change(
    owner: MemoryOwner,
    agent: string,
    fact: { readonly id: string; readonly patch: FactPatch },
  ): Promise<Memory>;
  remove(owner: MemoryOwner, agent: string, id: string): Promise<Memory>;
  /** Replaces all facts. */
  replace(owner: MemoryOwner, agent: string, facts: readonly BroughtFact[]): Promise<Memory>;
  /** Keeps all facts, and adds those that say something new, up to the limit. */
  merge(owner: MemoryOwner, agent: string, facts: readonly BroughtFact[]): Promise<Merged>;
  /** Removes everything. This cannot be undone. */
  clear(owner: MemoryOwner, agent: string): Promise<Memory>;
  /** Undoes the change that made this revision; another undo restores it. Throws `conflict` if impossible. */
  undo(owner: MemoryOwner, agent: string, revision: number): Promise<Memory>;
  isOn(owner: MemoryOwner): Promise<boolean>;
  switch(owner: MemoryOwner, isOn: boolean): Promise<void>;
}

interface Merged {
  readonly added: number;
  /** Facts that did not fit. */
  readonly leftOut: number;
}

interface MemoryServiceParts {
  readonly maxFacts: number;
  /** Called when a person's memory changes, or is switched on or off. */
  readonly onChange: (userId: string) => void;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The most agents of which a person has memories. */
export const MOST_AGENTS = 100;
/** If a memory changes during so many attempts, a loop is writing it. */
const ATTEMPTS = 20;

/** `next` may throw. It returns the new facts and what an undo restores; `undefined` for no change. */
type Save = (
  owner: MemoryOwner,
  agent: string,
  next: (memory: Memory) => Pick<Memory, 'facts' | 'previous'> | undefined,
) => Promise<Memory>;

export function createMemoryService(parts: MemoryServiceParts): MemoryService {
  const { maxFacts, onChange, now, newId } = parts;
  const save = saving(parts);
  const changed = (outcome: ReturnType<typeof withFact>, before: Memory, id = '') => {
    if (outcome.kind === 'changed') return { facts: outcome.facts, previous: before.facts };
    if (outcome.kind === 'duplicate') throw conflict('This fact already exists.');
    if (outcome.kind === 'full')
      throw conflict(`The memory already has ${maxFacts} facts (memory.max_facts). Delete one first.`);
    throw new ServiceError('not_found', `Memory fact '${id}' not found.`);
  };
  const newFactId = () => `fact_${newId()}`;

  return {
    get,
    add: (owner, agent, { content, category, confidence }) => {
      const source = { kind: 'manual' } as const;
      const fact = { id: newFactId(), content, category, confidence, createdAt: now(), source };
      return save(owner, agent, (before) => changed(withFact(before.facts, fact, maxFacts), before));
    },
    change: (owner, agent, { id, patch }) =>
      save(owner, agent, (before) => changed(withPatch(before.facts, id, patch), before, id)),
    remove: (owner, agent, id) =>
      save(owner, agent, (before) => changed(withoutFact(before.facts, id), before, id)),
    replace: (owner, agent, brought) => {
      const facts = distinct(brought, newFactId);
      if (facts.length > maxFacts)
        throw conflict(`These are ${facts.length} facts, and ${maxFacts} may be kept (memory.max_facts).`);
      return save(owner, agent, (before) => ({ facts, previous: before.facts }));
    },
    async merge(owner, agent, brought) {
      let merged: Merged = { added: 0, leftOut: 0 };
      await save(owner, agent, ({ facts: kept }) => {
        const all = distinct(brought, newFactId, kept);
        const facts = all.slice(0, Math.max(maxFacts, kept.length));
        merged = { added: facts.length - kept.length, leftOut: all.length - facts.length };
        return merged.added === 0 ? undefined : { facts, previous: kept };
      });
      return merged;
    },
    clear: (owner, agent) => save(owner, agent, () => ({ facts: [], previous: null })),
    undo: (owner, agent, revision) =>
      save(owner, agent, (before) => {
        if (before.revision !== revision)
          throw conflict('The memory has changed in the meantime. Reload it.');
        if (before.previous === null) throw conflict('There is no change that can be undone.');
        return { facts: before.previous, previous: before.facts };
      }),
    isOn: async ({ memories }) => !(await memories.isOff()),
    switch: async (owner, isOn) => {
      refuse(await owner.memories.switch(!isOn));
      onChange(owner.userId);
    },
  };
}

async function get({ memories }: MemoryOwner, agent: string): Promise<Memory> {
  return (await memories.get(agent)) ?? { agent, revision: 0, updatedAt: null, facts: [], previous: null };
}

function saving({ onChange, now }: MemoryServiceParts): Save {
  return async (owner, agent, next) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = await get(owner, agent);
      const made = next(before);
      if (made === undefined) return before;
      const { facts, previous } = made;
      const change = { agent, from: before.revision, facts, previous };
      const at = now();
      const outcome = await owner.memories.save(change, { mostAgents: MOST_AGENTS, now: at });
      if (outcome === 'saved') {
        onChange(owner.userId);
        return { agent, revision: before.revision + 1, updatedAt: at, facts, previous };
      }
      refuse(outcome);
    }
    throw conflict('The memory keeps changing. Try again.');
  };
}

function refuse(outcome: Awaited<ReturnType<MemoryRepository['save' | 'switch']>>): void {
  if (outcome === 'no_account') throw new ServiceError('not_authenticated', 'Your account was deleted.');
  if (outcome === 'too_many') throw conflict(`You have memories of ${MOST_AGENTS} agents already.`);
}

/** Returns the kept facts, followed by the brought ones that say something new, each with a unique id. */
function distinct(
  brought: readonly BroughtFact[],
  newFactId: () => string,
  kept: readonly MemoryFact[] = [],
): readonly MemoryFact[] {
  const facts = [...kept];
  for (const { id, ...fact } of brought) {
    if (facts.some(({ content }) => isSameContent(content, fact.content))) continue;
    const isFree = id !== undefined && facts.every((it) => it.id !== id);
    facts.push({ ...fact, id: isFree ? id : newFactId() });
  }
  return facts;
}
