// The storage contract for agents that people define.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/storage/agents.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB } from './samples.ts';

const PLAIN: AgentDefinition = {
  description: 'd',
  model: null,
  toolGroups: null,
  skills: null,
  soul: 'calm',
};
const narrow = { ...PLAIN, model: 'm', toolGroups: ['files'], skills: [] };

export function agentsContract(open: () => Promise<Storage>): void {
  describe('agents', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const agents = (owner = ANN) => storage.as(owner).agents;
    const make = (name: string, { owner = ANN, id = '' } = {}) =>
      agents(owner).create(
        { agentId: id === '' ? `${owner}-${name}` : id, name, versions: [{ ...PLAIN, createdAt: 1 }] },
        3,
      );
    const update = (definition: AgentDefinition, now = 2, kept = 9) =>
      agents().update('tea', { definition, now, kept });

    it('[storage.agents.versions] stores each change as a version, and keeps only the newest', async () => {
      expect(await make('tea')).toEqual({
        ...PLAIN,
        agentId: `${ANN}-tea`,
        name: 'tea',
        version: 1,
        isShared: false,
        isOwn: true,
        createdAt: 1,
        updatedAt: 1,
      });
      expect(await update(PLAIN, 5)).toMatchObject({ version: 1, updatedAt: 1 });
      expect(await update(narrow)).toMatchObject({ ...narrow, version: 2, createdAt: 1, updatedAt: 2 });
      const soul = 'long '.repeat(2_000);
      await Promise.all([update({ ...PLAIN, soul }, 3), update({ ...narrow, soul }, 3)]);
      expect((await agents().versions(`${ANN}-tea`)).map(({ version }) => version)).toEqual([4, 3, 2, 1]);
      expect(await storage.agentVersions.get({ agentId: `${ANN}-tea`, version: 2 })).toEqual({
        ...narrow,
        name: 'tea',
        version: 2,
        createdAt: 2,
      });
      await update({ ...PLAIN, soul: 'last' }, 4, 2);
      expect((await agents().versions(`${ANN}-tea`)).map(({ version }) => version)).toEqual([5, 4]);
      expect(await agents().find('tea')).toMatchObject({ soul: 'last', version: 5 });
    });

    it('[storage.agents.names] limits an owner to one agent of a name, and to a number of agents', async () => {
      const both = await Promise.all([make('tea', { id: 'a' }), make('tea', { id: 'b' })]);
      expect(both.filter((made) => made === 'exists')).toHaveLength(1);
      await make('cake');
      await make('bun');
      expect(await make('more')).toBe('too_many');
      expect(await make('tea', { owner: BOB })).toMatchObject({ isOwn: true });
      expect((await agents().list()).map(({ name }) => name)).toEqual(['bun', 'cake', 'tea']);
    });

    it('[storage.agents.shared] shows a shared agent to everybody, read-only, unless an own agent hides it', async () => {
      await make('tea');
      await make('cake', { owner: BOB });
      expect(await agents(BOB).find('tea')).toBeUndefined();
      expect(await agents().share('tea', true)).toMatchObject({ isShared: true, isOwn: true });
      expect(await agents(BOB).find('tea')).toMatchObject({ isShared: true, isOwn: false, soul: 'calm' });
      expect(await agents(BOB).versions(`${ANN}-tea`)).toHaveLength(1);
      expect(await agents(BOB).update('tea', { definition: narrow, now: 2, kept: 9 })).toBeUndefined();
      expect(await agents(BOB).delete('tea', { now: 2, kept: 9 })).toBe(false);
      await make('tea', { owner: BOB });
      expect(await agents(BOB).share('tea', true)).toBe('taken');
      expect(await agents(BOB).list()).toMatchObject([
        { name: 'cake', isOwn: true },
        { name: 'tea', isOwn: true },
      ]);
      await agents(BOB).delete('tea', { now: 2, kept: 9 });
      expect(await agents(BOB).find('tea')).toMatchObject({ isOwn: false });
      await agents().share('tea', false);
      expect(await agents(BOB).find('tea')).toBeUndefined();
      expect(await agents(BOB).versions(`${ANN}-tea`)).toEqual([]);
    });

    it('[storage.agents.deleted] keeps the version that runs use for a while, and frees the name', async () => {
      await make('tea', { id: 'first' });
      await agents().share('tea', true);
      expect(await agents().delete('tea', { now: 10, kept: 9 })).toBe(true);
      expect(await agents().delete('tea', { now: 11, kept: 9 })).toBe(false);
      expect(await agents(BOB).find('tea')).toBeUndefined();
      expect([await agents().wasDeleted('tea'), await agents(BOB).wasDeleted('tea')]).toEqual([true, false]);
      await make('tea', { id: 'second' });
      const version = (agentId: string) => storage.agentVersions.get({ agentId, version: 1 });
      expect([await version('first'), await version('second')]).toMatchObject([{ soul: 'calm' }, {}]);
      expect(await storage.agentVersions.removeDeleted({ before: 10, limit: 9 })).toBe(0);
      expect(await storage.agentVersions.removeDeleted({ before: 11, limit: 9 })).toBe(1);
      expect(await version('first')).toBeUndefined();
      await agents().delete('tea', { now: 20, kept: 0 });
      expect(await version('second')).toBeUndefined();
      expect(await agents().wasDeleted('tea')).toBe(false);
    });

    it('[storage.agents.deleted] removes the agents of a removed owner', async () => {
      await make('tea');
      await storage.accountRemovals.clear(ANN);
      expect(await agents().list()).toEqual([]);
      expect(await storage.agentVersions.get({ agentId: `${ANN}-tea`, version: 1 })).toBeUndefined();
    });
  });
}
