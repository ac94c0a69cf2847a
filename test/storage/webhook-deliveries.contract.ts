// The storage contract for calls to webhooks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread, finishRun, sampleRun, startRunOn } from './samples.ts';

export function webhookDeliveriesContract(open: () => Promise<Storage>): void {
  describe('webhook deliveries', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const claim = (now: number, fields: object = {}) =>
      storage.webhookDeliveries.claim({ now, leaseUntil: now + 1_000, limit: 9, fullUsers: [], ...fields });
    const idsAt = async (now: number, fields: object = {}) =>
      (await claim(now, fields)).map(({ run }) => run.runId);
    const report = async (runId: string, owner = ANN) =>
      (await storage.as(owner).webhooks.of([runId])).get(runId);
    async function ended(owner: string, runId: string): Promise<void> {
      const threadId = `thread-${runId}`;
      await createThread(storage, owner, threadId);
      const run = sampleRun(runId, threadId, { webhook: `https://example.com/${runId}`, now: 1_000 });
      await finishRun(storage, await startRunOn(storage, owner, run));
    }

    it('[webhook.claims] is due when its run has ended, for one process at a time', async () => {
      await createThread(storage, ANN, 't');
      const run = await startRunOn(
        storage,
        ANN,
        sampleRun('r', 't', { webhook: 'https://example.com', now: 1_000 }),
      );
      expect(await idsAt(9_000)).toEqual([]);
      await finishRun(storage, run);
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(9_000)));
      expect(claims.flat()).toMatchObject([
        { run: { runId: 'r', status: 'success' }, url: 'https://example.com', attempt: 1 },
      ]);
      expect(await idsAt(9_999)).toEqual([]);
      expect(await claim(10_000)).toMatchObject([{ attempt: 2 }]);
    });

    it('[webhook.claims] a process changes nothing after its lease', async () => {
      await ended(ANN, 'r');
      const [late] = await claim(9_000);
      const [next] = await claim(10_000);
      if (late === undefined || next === undefined) throw new Error('Both were claimed.');
      const { webhookDeliveries } = storage;
      await webhookDeliveries.finish(
        late,
        { status: 'failed', lastStatus: 500, lastError: 'bad_status' },
        10_001,
      );
      expect(await report('r')).toMatchObject({ status: 'pending', attempts: 2, lastStatus: null });
      const again = { status: 'pending', nextAt: 12_000, lastStatus: null, lastError: 'timeout' } as const;
      await webhookDeliveries.finish(next, again, 10_002);
      expect(await report('r')).toEqual({
        status: 'pending',
        attempts: 2,
        lastStatus: null,
        lastError: 'timeout',
        nextAttemptAt: 12_000,
      });
      expect(await idsAt(11_999)).toEqual([]);
      const [last] = await claim(12_000);
      if (last === undefined) throw new Error('It is due.');
      await webhookDeliveries.finish(last, { status: 'delivered', lastStatus: 200, lastError: null }, 12_001);
      expect(await idsAt(99_999)).toEqual([]);
      expect(await report('r')).toMatchObject({ status: 'delivered', attempts: 3, nextAttemptAt: null });
      expect(await report('r', BOB)).toBeUndefined();
    });

    it('[webhook.fair] returns one call of each user, and none of users without a place', async () => {
      for (const runId of ['a1', 'a2', 'a3']) await ended(ANN, runId);
      await ended(BOB, 'b1');
      expect((await idsAt(9_000)).toSorted()).toEqual(['a1', 'b1']);
      expect(await idsAt(9_000, { fullUsers: [ANN] })).toEqual([]);
      expect(await idsAt(9_000)).toEqual(['a2']);
      expect(await idsAt(9_000, { limit: 0 })).toEqual([]);
    });

    it('[webhook.claims] is removed with its run', async () => {
      await ended(ANN, 'r');
      await storage.as(ANN).runs.delete('r');
      expect([await idsAt(9_000), await report('r')]).toEqual([[], undefined]);
    });
  });
}
