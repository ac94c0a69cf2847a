// The storage contract for the streams of runs that ended long ago.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FrameRow } from '../../src/storage/frames.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Owner, Storage } from '../../src/storage/storage.ts';
import { ANN, admitRun, BOB, CANCEL, createThread, sampleChange, sampleRun, startRun } from './samples.ts';

export function frameRetentionContract(open: () => Promise<Storage>): void {
  describe('frame retention', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const row = (firstSeq: number, lastSeq: number, events: string): FrameRow => ({
      firstSeq,
      lastSeq,
      attempt: 1,
      events,
    });
    const ROWS = [row(1, 2, '["a","b"]'), row(3, 3, '["c"]')];
    const write = async (run: RunRecord) => {
      for (const frames of ROWS) await storage.runCommits.commit([sampleChange(run, { frames })], 3000);
    };
    /** Creates a run whose stream is `ROWS` and which ended at that time. */
    const ended = async (runId: string, finishedAt: number, owner: Owner = ANN) => {
      const run = await startRun(storage, owner, runId);
      await write(run);
      await storage.runCommits.commit(
        [sampleChange(run, { run: { status: 'success', finishedAt } })],
        finishedAt,
      );
      return run;
    };
    const stored = async (runId: string, after: number) =>
      (await storage.as(ANN).frames.read(runId, after, 1000)).map(({ epochs: _, ...stream }) => stream);
    const due = async (endedBefore: number, limit = 10) =>
      (await storage.frameRetention.due(endedBefore, limit)).map((run) => run.runId);

    it('[frames.retention.due] finds the streams of runs that ended before a time, oldest first', async () => {
      await ended('second', 5000);
      await ended('first', 4000, BOB);
      await ended('third', 6000);
      expect(await due(4000)).toEqual([]);
      expect(await due(6000)).toEqual(['first', 'second']);
      expect(await due(9000, 2)).toEqual(['first', 'second']);
      const [first] = await storage.frameRetention.due(9000, 1);
      expect(first).toEqual({ runId: 'first', rows: ROWS });
    });

    it('omits runs that are still running, and those that never started', async () => {
      await write(await startRun(storage, ANN, 'running'));
      await createThread(storage, ANN, 't');
      await admitRun(storage, ANN, sampleRun('cancelled', 't'));
      await storage.as(ANN).runs.cancel('cancelled', CANCEL);
      expect(await due(99_999)).toEqual([]);
    });

    it('[frames.retention.replace] a replaced stream is one row, and is not due again', async () => {
      await ended('r', 4000);
      await ended('other', 5000);
      const whole = row(1, 3, '["whole"]');
      await storage.frameRetention.replace('r', whole);
      expect(await stored('r', 0)).toEqual([whole]);
      expect(await stored('r', 2)).toEqual([whole]);
      expect(await due(9000)).toEqual(['other']);
      expect(await stored('other', 0)).toEqual(ROWS);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'success', updatedAt: 4000 });
    });

    it('does nothing for a removed run or one that has not ended', async () => {
      const gone = await ended('gone', 4000);
      await storage.as(ANN).threads.delete(gone.threadId);
      await storage.frameRetention.replace('gone', row(1, 1, '["x"]'));
      expect(await stored('gone', 0)).toEqual([]);
      await write(await startRun(storage, ANN, 'running'));
      await storage.frameRetention.replace('running', row(1, 1, '["x"]'));
      expect(await stored('running', 0)).toEqual(ROWS);
    });

    it('allows replacing, reading and deleting concurrently', async () => {
      const runs = await Promise.all(Array.from({ length: 6 }, (_, n) => ended(`r${n}`, 4000)));
      await Promise.all(
        runs.flatMap((run, n) => [
          storage.frameRetention.replace(run.runId, row(1, 3, '["whole"]')),
          storage.frameRetention.due(9000, 10),
          n % 2 === 0 ? storage.as(ANN).threads.delete(run.threadId) : undefined,
        ]),
      );
      expect(await due(9000)).toEqual([]);
      expect(await storage.as(ANN).frames.read('r1', 0, 1000)).toHaveLength(1);
      expect(await stored('r2', 0)).toEqual([]);
    });
  });
}
