// The storage contract for feedback.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewFeedback } from '../../src/storage/feedback.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread, finishRun, sampleRun, startRun, startRunOn } from './samples.ts';

export function feedbackContract(open: () => Promise<Storage>): void {
  describe('feedback', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const sample = (feedbackId: string, fields: Partial<NewFeedback> = {}): NewFeedback => ({
      feedbackId,
      threadId: run.threadId,
      runId: 'r',
      messageId: null,
      rating: 1,
      comment: null,
      createdAt: 70,
      ...fields,
    });
    const feedback = (owner: string | typeof UNSCOPED = ANN) => storage.as(owner).feedback;
    const ids = async (owner: string = ANN) =>
      (await feedback(owner).list(run.threadId, ['r', 'other'])).map((row) => row.feedbackId);

    it('[feedback.row] keeps every field, and replaces all but the id', async () => {
      const first = sample('f', { messageId: 'm', comment: 'a\u00e4💡', createdAt: 77 });
      expect(await feedback().create(first)).toEqual({ ...first, userId: ANN });
      expect(await feedback().list(run.threadId, ['r'])).toEqual([{ ...first, userId: ANN }]);
      const second = sample('g', { rating: -1, createdAt: 99 });
      const replaced = { ...second, feedbackId: 'f', userId: ANN };
      expect(await feedback().put(second)).toEqual(replaced);
      expect(await feedback().list(run.threadId, ['r'])).toEqual([replaced]);
    });

    it('[feedback.once] of many concurrent creations one succeeds, and many replacements leave one', async () => {
      const created = await Promise.all(
        Array.from({ length: 12 }, (_, n) => feedback().create(sample(`f${n}`))),
      );
      expect(created.filter((it) => it === 'exists')).toHaveLength(11);
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          feedback().put(sample(`g${n}`, { rating: n % 2 === 0 ? 1 : -1 })),
        ),
      );
      expect(await ids()).toHaveLength(1);
    });

    it('[feedback.once] concurrent replacements of nothing create one', async () => {
      const put = await Promise.all(Array.from({ length: 12 }, (_, n) => feedback().put(sample(`f${n}`))));
      expect(new Set(put.map((it) => (it === 'absent' ? it : it.feedbackId))).size).toBe(1);
      expect(await ids()).toHaveLength(1);
    });

    it('[feedback.stats] counts', async () => {
      const none = { count: 0, sum: 0, positive: 0, negative: 0 };
      expect(await feedback().stats(run.threadId, 'r')).toEqual(none);
      await feedback().put(sample('f', { rating: -1 }));
      expect(await feedback().stats(run.threadId, 'r')).toEqual({ ...none, count: 1, sum: -1, negative: 1 });
      await feedback().put(sample('f', { rating: 1 }));
      expect(await feedback().stats(run.threadId, 'r')).toEqual({ ...none, count: 1, sum: 1, positive: 1 });
    });

    it('[feedback.delete] deletes feedback of this thread, run and owner only', async () => {
      await feedback().create(sample('f'));
      const here = { threadId: run.threadId, runId: 'r' };
      expect(await feedback().delete({ ...here, threadId: 'elsewhere' })).toBe(false);
      expect(await feedback().delete({ ...here, runId: 'other' })).toBe(false);
      expect(await feedback().delete(here, 'another')).toBe(false);
      expect(await feedback(BOB).delete(here)).toBe(false);
      expect(await feedback(BOB).delete(here, 'f')).toBe(false);
      expect(await feedback().delete(here, 'f')).toBe(true);
      expect(await feedback().delete(here)).toBe(false);
    });

    it("[owner.feedback] another user's runs cannot be rated, and their feedback is absent", async () => {
      await feedback().create(sample('f'));
      expect(await feedback(BOB).create(sample('g'))).toBe('absent');
      expect(await feedback(BOB).put(sample('g'))).toBe('absent');
      expect(await feedback(BOB).list(run.threadId, ['r'])).toEqual([]);
      expect((await feedback(BOB).stats(run.threadId, 'r')).count).toBe(0);
      expect((await feedback(UNSCOPED).list(run.threadId, ['r'])).length).toBe(1);
    });

    it('[feedback.run] refuses a run that is absent, of another thread, or of a shared thread', async () => {
      expect(await feedback().create(sample('f', { runId: 'none' }))).toBe('absent');
      await createThread(storage, ANN, 'elsewhere');
      expect(await feedback().put(sample('f', { threadId: 'elsewhere' }))).toBe('absent');
      const shared = await startRun(storage, UNSCOPED, 'shared');
      const ofShared = sample('f', { threadId: shared.threadId, runId: 'shared' });
      expect(await feedback().create(ofShared)).toBe('absent');
      expect(await feedback(UNSCOPED).create(ofShared)).toBe('absent');
    });

    it('[feedback.gone] is removed with its run and with its thread', async () => {
      await finishRun(storage, run);
      const other = await startRunOn(storage, ANN, sampleRun('other', run.threadId));
      await finishRun(storage, other);
      await feedback().create(sample('f'));
      await feedback().create(sample('g', { runId: 'other' }));
      expect(await ids()).toEqual(['f', 'g']);
      await storage.as(ANN).runs.delete('r');
      expect(await ids()).toEqual(['g']);
      await storage.as(ANN).threads.delete(run.threadId);
      expect(await feedback(UNSCOPED).list(run.threadId, ['r', 'other'])).toEqual([]);
    });
  });
}
