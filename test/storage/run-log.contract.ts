// The storage contract for the common log of the runs of a process.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFlush, RunPieces } from '../../src/storage/run-commits.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  BOB,
  claimRuns,
  deleteThread,
  endLease,
  finishRun,
  sampleChange,
  sampleEvent,
  startRun,
} from './samples.ts';

/** The worker that has claimed the runs of `startRun`. */
const WORKER = 'worker';

export function runLogContract(open: () => Promise<Storage>): void {
  describe('the run log', () => {
    let storage: Storage;
    let run: RunRecord;
    let other: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
      other = await startRun(storage, BOB, 'other');
    });
    afterEach(() => storage.close());

    const pieces = ({ runId, attempt }: RunRecord, firstSeq: number, ...events: string[]): RunPieces => {
      const lastSeq = firstSeq + events.length - 1;
      return { runId, attempt, firstSeq, lastSeq, events: JSON.stringify(events) };
    };
    /** Writes a flush after the previous one. */
    const log = (flush: number, written: readonly RunPieces[], sortedTo?: number) => {
      const row: LogFlush = { workerId: WORKER, flush, after: flush - 1, pieces: written };
      return storage.runCommits.commit([], 5000, sortedTo === undefined ? row : { ...row, sortedTo });
    };
    const rows = async ({ runId }: RunRecord, owner: string) =>
      (await storage.as(owner).frames.read(runId, 0, 10_000)).map(
        ({ firstSeq, lastSeq, attempt, events }) => ({
          attempt,
          places: [firstSeq, lastSeq],
          events: JSON.parse(events),
        }),
      );
    const takeOver = async () => {
      await endLease(storage, WORKER);
      return claimRuns(storage, { workerId: 'successor', fencesExpired: true });
    };

    it('[runs.log.takeover] a worker that takes runs over finds everything logged of them, each piece once', async () => {
      await log(1, [pieces(run, 1, 'a', 'b'), pieces(other, 1, 'x')]);
      await log(2, [pieces(run, 3, 'c')]);
      const { runId: _, ...frames } = pieces(run, 1, 'a', 'b', 'c');
      await storage.runCommits.commit([sampleChange(run, { frames })], 5000);
      await log(3, [pieces(run, 4, 'd'), pieces(other, 2, 'y')]);
      await log(4, [pieces(run, 5, 'e')]);
      const taken = await takeOver();
      expect(taken.map(({ runId, attempt }) => [runId, attempt])).toEqual([
        ['other', 2],
        ['r', 2],
      ]);
      expect(await rows(run, ANN)).toEqual([
        { attempt: 1, places: [1, 3], events: ['a', 'b', 'c'] },
        { attempt: 1, places: [4, 5], events: ['d', 'e'] },
      ]);
      expect(await rows(other, BOB)).toEqual([{ attempt: 1, places: [1, 2], events: ['x', 'y'] }]);
    });

    it('[runs.log.takeover] a single process begins with everything that earlier ones have logged', async () => {
      await log(1, [pieces(run, 1, 'a')]);
      await storage.workers.fenceOthers('successor');
      expect(await rows(run, ANN)).toEqual([{ attempt: 1, places: [1, 1], events: ['a'] }]);
      await storage.workers.fenceOthers('successor');
      expect(await rows(run, ANN)).toHaveLength(1);
    });

    it('[runs.log.sorted] sorted rows of the log are not restored', async () => {
      await log(1, [pieces(run, 1, 'a'), pieces(other, 1, 'x')]);
      await log(2, [pieces(run, 2, 'b')]);
      await log(3, [pieces(run, 3, 'c')], 2);
      await takeOver();
      expect(await rows(run, ANN)).toEqual([{ attempt: 1, places: [3, 3], events: ['c'] }]);
      expect(await rows(other, BOB)).toEqual([]);
    });

    it('[runs.log.deleted] pieces of a deleted run are dropped', async () => {
      await log(1, [pieces(run, 1, 'a'), pieces(other, 1, 'x')]);
      await finishRun(storage, run);
      await deleteThread(storage, ANN, run.threadId);
      await takeOver();
      expect(await rows(run, ANN)).toEqual([]);
      expect(await rows(other, BOB)).toHaveLength(1);
    });

    it('[commits.fence.owner] an attempt that was handed back writes nothing under the number of the next one', async () => {
      const { runId, attempt } = run;
      await storage.runLeases.release({ workerId: WORKER, runId, attempt }, 4000);
      expect(await claimRuns(storage, { workerId: 'w2' })).toMatchObject([{ runId, attempt }]);
      const late = sampleChange(run, { events: [sampleEvent('late')] });
      const flush: LogFlush = { workerId: WORKER, flush: 1, after: 0, pieces: [] };
      expect(await storage.runCommits.commit([late], 5000, flush)).toEqual({ lost: [runId], blocked: [] });
    });

    it('[commits.once] a committed flush is not written again, and returns the same', async () => {
      const ended = { ...run, attempt: run.attempt + 1 };
      const change = sampleChange(other, { events: [sampleEvent('said once')] });
      const flush: LogFlush = { workerId: WORKER, flush: 1, after: 0, pieces: [pieces(run, 1, 'a')] };
      const commit = () => storage.runCommits.commit([change, sampleChange(ended)], 5000, flush);
      expect(await commit()).toEqual({ lost: ['r'], blocked: [] });
      expect(await commit()).toEqual({ lost: ['r'], blocked: [] });
      const said = { cursor: { kind: 'newest' }, limit: 9 } as const;
      const { events } = await storage.as(BOB).runEvents.list(other.threadId, said);
      expect(events.map(({ content }) => content)).toEqual(['said once']);
      await takeOver();
      expect(await rows(run, ANN)).toEqual([{ attempt: 1, places: [1, 1], events: ['a'] }]);
    });

    it('[commits.history] a database that has lost a commit accepts no further one of the same worker', async () => {
      expect(await log(1, [pieces(run, 1, 'a')])).toEqual({ lost: [], blocked: [] });
      expect(await log(3, [pieces(run, 3, 'c'), pieces(other, 1, 'x')])).toEqual({
        lost: ['other', 'r'],
        blocked: [],
      });
      await takeOver();
      expect(await rows(run, ANN)).toEqual([{ attempt: 1, places: [1, 1], events: ['a'] }]);
      expect(await log(2, [pieces(run, 2, 'b')])).toEqual({ lost: ['r'], blocked: [] });
    });

    it('[commits.history.fence] a worker whose commit the database has lost is fenced, and its runs continue elsewhere', async () => {
      await log(1, [pieces(run, 1, 'a')]);
      expect(
        await storage.workers.renew({ workerId: WORKER, leaseMs: 60_000, acknowledged: 0 }),
      ).toBeDefined();
      await log(3, []);
      expect(
        await storage.workers.renew({ workerId: WORKER, leaseMs: 60_000, acknowledged: 0 }),
      ).toBeUndefined();
      const taken = await claimRuns(storage, { workerId: 'successor' });
      expect(taken.map(({ runId, attempt }) => [runId, attempt])).toEqual([
        ['other', 2],
        ['r', 2],
      ]);
      expect(await rows(run, ANN)).toEqual([{ attempt: 1, places: [1, 1], events: ['a'] }]);
    });

    it('[commits.history.renewal] a worker learns with its renewal that the database has lost a commit', async () => {
      const renewed = (acknowledged: number) =>
        storage.workers.renew({ workerId: WORKER, leaseMs: 60_000, acknowledged });
      await log(1, [pieces(run, 1, 'a')]);
      expect(await renewed(0)).toBeDefined();
      expect(await renewed(1)).toBeDefined();
      expect(await renewed(2)).toBeUndefined();
    });

    it('writes pieces of any number of runs, and sorts them', async () => {
      const many = [];
      for (let n = 0; n < 130; n++) many.push(await startRun(storage, ANN, `many-${n}`));
      expect(
        await log(
          1,
          many.map((it) => pieces(it, 1, it.runId)),
        ),
      ).toEqual({ lost: [], blocked: [] });
      await storage.workers.fenceOthers('successor');
      for (const it of many) expect(await rows(it, ANN)).toMatchObject([{ events: [it.runId] }]);
    });
  });
}
