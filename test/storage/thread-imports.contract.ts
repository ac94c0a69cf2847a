// The storage contract for threads that are imported from a package.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import type { EndedRun } from '../../src/storage/thread-packages.ts';
import { ANN, admitRun, claimRuns, finishRun, sampleRun, sampleUser, startRun } from './samples.ts';

export function threadImportsContract(open: () => Promise<Storage>): void {
  describe('thread imports', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
    });
    afterEach(() => storage.close());

    it('[protocol.numbers] runs get consecutive numbers, though they began or ended at the same time', async () => {
      const original = await startRun(storage, ANN, 'original');
      await finishRun(storage, original);
      const ended = await storage.as(ANN).runs.get('original');
      if (ended === undefined) throw new Error('the run is gone');
      const imported = (runId: string, times: Partial<EndedRun>): EndedRun => ({ ...ended, runId, ...times });
      const current = { importId: 'i', userId: ANN, takenUntil: 9000 };
      const { threadImports } = storage;
      await threadImports.open(current);
      const thread = { threadId: 't', displayName: null, metadata: {}, assistantId: null, temporary: false };
      await threadImports.beginThread(current, {
        ...thread,
        createdAt: 1,
        updatedAt: 1,
        stateUpdatedAt: 1,
      });
      const rows = { checkpoints: [], events: [], feedback: [] };
      const waited = { startedAt: null, finishedAt: 500_000 };
      const slices = [
        [
          imported('first', { createdAt: 1, startedAt: 1000 }),
          imported('late', { createdAt: 9, startedAt: 900_000 }),
        ],
        [imported('a', { createdAt: 2, ...waited }), imported('b', { createdAt: 3, ...waited })],
      ];
      for (const runs of slices)
        expect(await threadImports.add(current, 't', { ...rows, runs })).toBe('added');
      await threadImports.finishThread(current, { threadId: 't', status: 'idle', headCheckpointId: null });
      await threadImports.publish(current, { actor: ANN, clientIp: null });
      const placesOf = async () =>
        (await storage.as(ANN).runs.list('t', { limit: 9, offset: 0 }))
          .toReversed()
          .map(({ runId, numbersFrom }) => [runId, numbersFrom]);
      const places = [
        ['first', 1000],
        ['a', 500_000],
        ['b', 600_000],
        ['late', 900_000],
      ];
      expect(await placesOf()).toEqual(places);
      await admitRun(storage, ANN, sampleRun('next', 't'));
      await claimRuns(storage, { workerId: 'worker' }, 1, ['next']);
      expect(await placesOf()).toEqual([...places, ['next', 1_000_000]]);
    });
  });
}
