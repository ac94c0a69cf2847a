// The storage contract for the usage of model calls.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_TOTALS, type RunRecord, type RunTotals } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { SpentCall } from '../../src/storage/usage.ts';
import { ANN, BOB, CANCEL, sampleChange, sampleRun, startRun, startRunOn } from './samples.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');

const spent = (fields: Partial<SpentCall> = {}): SpentCall => ({
  at: NOON,
  model: 'fast',
  tokens: 15,
  inputTokens: 10,
  cachedInputTokens: 4,
  outputTokens: 5,
  cost: { USD: 1_000_000_001 },
  ...fields,
});

export function usageContract(open: () => Promise<Storage>): void {
  describe('usage', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const commit = (of: RunRecord, ...calls: SpentCall[]) =>
      storage.runCommits.commit([sampleChange(of, { spent: calls })], 5000);
    const days = (owner = ANN, from = '2026-01-01', to = '2026-12-31') =>
      storage.as(owner).usage.days({ from, to });

    it('[usage.days] adds up by owner, day, model and currency', async () => {
      const bobs = await startRun(storage, BOB, 'bobs');
      await commit(run, spent(), spent({ model: 'slow', cost: {} }));
      await commit(run, spent({ at: NOON + 12 * 3_600_000 - 1 }));
      await commit(run, spent({ at: NOON + 12 * 3_600_000 }), spent({ cost: { EUR: 7 } }));
      await commit(bobs, spent());
      const row = { tokens: 15, inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, calls: 1 };
      const two = { tokens: 30, inputTokens: 20, cachedInputTokens: 8, outputTokens: 10, calls: 2 };
      expect(await days()).toEqual([
        { day: '2026-03-01', model: 'fast', ...row, cost: { EUR: 7 } },
        { day: '2026-03-01', model: 'fast', ...two, cost: { USD: 2_000_000_002 } },
        { day: '2026-03-01', model: 'slow', ...row, cost: {} },
        { day: '2026-03-02', model: 'fast', ...row, cost: { USD: 1_000_000_001 } },
      ]);
      expect(await days(ANN, '2026-03-02', '2026-03-02')).toHaveLength(1);
      expect(await days(ANN, '2026-03-03', '2026-03-04')).toEqual([]);
    });

    it("[usage.owner] shows no user another one's days and threads", async () => {
      await commit(run, spent());
      expect(await days(BOB)).toEqual([]);
      expect(await storage.as(BOB).usage.ofThread(run.threadId)).toMatchObject({ runs: 0, tokens: 0 });
    });

    it('[quota.metadata] adds up the metadata bytes of threads and runs, of its owner alone', async () => {
      const { threads, runs, usage } = storage.as(ANN);
      const bytesOf = (metadata: object) => Buffer.byteLength(JSON.stringify(metadata));
      // The run of the thread has stored its agent there.
      const { metadata: named } = (await threads.get(run.threadId)) ?? { metadata: {} };
      expect(await usage.metadataBytes()).toBe(bytesOf(named));
      await threads.update(run.threadId, { metadata: { a: 'é' }, now: 5000 });
      await runs.admit(sampleRun('tagged', run.threadId, { metadata: { b: [1] } }));
      const theirs = { threadId: 'his', metadata: { mine: true }, assistantId: null, now: 1 };
      await storage.as(BOB).threads.create(theirs);
      const ofThread = bytesOf({ ...named, a: 'é' });
      const ofRun = bytesOf({ b: [1] });
      expect(await usage.metadataBytes()).toBe(ofThread + ofRun);
      await storage.as(ANN).threads.copy(run.threadId, { threadId: 'copy', metadata: { a: 'é' }, now: 1 });
      expect(await usage.metadataBytes()).toBe(ofThread + bytesOf({ a: 'é' }) + ofRun);
      await runs.cancel('tagged', CANCEL);
      await runs.delete('tagged');
      await threads.delete('copy');
      await threads.update(run.threadId, { metadata: { a: 1 }, now: 5000 });
      expect(await usage.metadataBytes()).toBe(bytesOf({ ...named, a: 1 }));
    });

    it('[usage.once] omits what a lost attempt reports', async () => {
      expect(await commit({ ...run, attempt: run.attempt + 1 }, spent())).toEqual({
        lost: ['r'],
        blocked: [],
      });
      expect(await days()).toEqual([]);
    });

    it('[usage.days.kept] keeps the usage when the thread is deleted', async () => {
      await commit(run, spent());
      await storage.runCommits.commit([sampleChange(run, { run: { status: 'success' } })], 5000);
      await storage.as(ANN).threads.delete(run.threadId);
      expect(await days()).toHaveLength(1);
    });

    it('[usage.thread] sums over the ended runs of a thread, however they ended', async () => {
      const end = async (of: RunRecord, status: 'success' | 'interrupted' | 'error', totals: RunTotals) =>
        storage.runCommits.commit([sampleChange(of, { run: { status, totals } })], 5000);
      const model = (cost: Record<string, number>) => {
        return { tokens: 15, inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, calls: 2, cost };
      };
      const totals = (fields: Partial<RunTotals>): RunTotals => ({
        ...NO_TOTALS,
        totalTokens: 15,
        totalInputTokens: 10,
        totalOutputTokens: 5,
        ...fields,
      });
      await end(run, 'success', totals({ leadAgentTokens: 15, tokenUsageByModel: { a: model({ USD: 3 }) } }));
      const second = await startRunOn(storage, ANN, sampleRun('r2', run.threadId));
      const both = { a: model({ USD: 4 }), b: model({}) };
      await end(second, 'interrupted', totals({ subagentTokens: 9, tokenUsageByModel: both }));
      const third = await startRunOn(storage, ANN, sampleRun('r3', run.threadId));
      await end(third, 'error', totals({ middlewareTokens: 6 }));
      await startRunOn(storage, ANN, sampleRun('r4', run.threadId));
      const twice = { tokens: 30, inputTokens: 20, cachedInputTokens: 8, outputTokens: 10, calls: 4 };
      expect(await storage.as(ANN).usage.ofThread(run.threadId)).toEqual({
        runs: 3,
        tokens: 45,
        inputTokens: 30,
        outputTokens: 15,
        leadAgentTokens: 15,
        subagentTokens: 9,
        middlewareTokens: 6,
        byModel: { a: { ...twice, runs: 2, cost: { USD: 7 } }, b: { ...model({}), runs: 1 } },
      });
    });
  });
}
