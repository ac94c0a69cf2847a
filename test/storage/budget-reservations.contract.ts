// The storage contract for reservations of a person's daily budget.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { BudgetRequest } from '../../src/storage/usage.ts';
import { ANN, BOB, claimRuns, endLease, sampleChange, startRun } from './samples.ts';

const DAY = '2026-03-01';
const NOON = Date.parse(`${DAY}T12:00:00Z`);

export function budgetReservationsContract(open: () => Promise<Storage>): void {
  describe('budget reservations', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const reserve = (reservationId: string, fields: Partial<BudgetRequest> = {}) =>
      storage.budgetReservations.reserve({
        reservationId,
        runId: run.runId,
        attempt: run.attempt,
        userId: ANN,
        day: DAY,
        tokens: 10,
        nanos: 0,
        currency: 'USD',
        limits: { tokens: 30 },
        ...fields,
      });
    const granted = async (...asked: Parameters<typeof reserve>) =>
      (await reserve(...asked)).kind === 'granted';
    const spent = (tokens: number, cost: Record<string, number> = {}) => ({
      ...{
        at: NOON,
        model: 'fast',
        tokens,
        inputTokens: tokens,
        cachedInputTokens: 0,
        outputTokens: 0,
        cost,
      },
    });

    it('[budgets.reserved] counts spent and reserved amounts', async () => {
      await storage.runCommits.commit([sampleChange(run, { spent: [spent(10)] })], 5000);
      expect(await granted('a')).toBe(true);
      expect(await granted('b')).toBe(true);
      expect(await reserve('c')).toEqual({ kind: 'refused', tokens: 30, nanos: 0 });
      expect(await granted('d', { day: '2026-03-02' })).toBe(true);
      const bobs = await startRun(storage, BOB, 'bobs');
      expect(await granted('e', { userId: BOB, runId: bobs.runId })).toBe(true);
    });

    it('[budgets.reserved] counts only money of the same currency', async () => {
      const limits = { nanos: 100 };
      const calls = [spent(1_000, { USD: 50 }), spent(1, { EUR: 900 })];
      await storage.runCommits.commit([sampleChange(run, { spent: calls })], 5000);
      expect(await granted('a', { limits, nanos: 50 })).toBe(true);
      expect(await reserve('b', { limits, nanos: 1 })).toEqual({
        kind: 'refused',
        tokens: 1_011,
        nanos: 100,
      });
    });

    it('[budgets.settled] releases the reservation of a call when its usage is written', async () => {
      expect(await granted('a', { tokens: 30 })).toBe(true);
      await storage.runCommits.commit([sampleChange(run, { spent: [spent(5)], released: ['a'] })], 5000);
      expect(await granted('b', { tokens: 25 })).toBe(true);
      expect(await granted('c', { tokens: 1 })).toBe(false);
      await storage.runCommits.commit([sampleChange(run, { released: 'all' })], 5000);
      expect(await granted('d', { tokens: 25 })).toBe(true);
    });

    it('[budgets.dead] ignores reservations of dead attempts and ended runs', async () => {
      expect(await granted('a', { tokens: 30 })).toBe(true);
      await endLease(storage, 'worker');
      const [again] = await claimRuns(storage, { workerId: 'other', fencesExpired: true });
      expect(again).toMatchObject({ runId: 'r', attempt: run.attempt + 1 });
      expect(await granted('b', { tokens: 30, attempt: run.attempt + 1 })).toBe(true);
      expect(await granted('c', { tokens: 1, attempt: run.attempt + 1 })).toBe(false);
      if (again === undefined) return;
      await storage.runCommits.commit([sampleChange(again, { run: { status: 'success' } })], 5000);
      const next = await startRun(storage, ANN, 'next');
      expect(await granted('d', { tokens: 30, runId: next.runId })).toBe(true);
    });

    it('[budgets.concurrent] keeps concurrent reservations within the limit', async () => {
      const asked = Array.from({ length: 40 }, (_, index) => granted(`r${index}`));
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(3);
    });
  });
}
