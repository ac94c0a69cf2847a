// The storage contract for the stream of a run.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FrameRow } from '../../src/storage/frames.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, sampleChange, startRun } from './samples.ts';

export function framesContract(open: () => Promise<Storage>): void {
  describe('frames', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    /** Writes rows of three events each: 1 to 3, 4 to 6 ... */
    const write = async (rows: number, text = '"x"') => {
      for (let n = 0; n < rows; n++) {
        const events = `[${text},${text},${text}]`;
        const frames: FrameRow = { firstSeq: n * 3 + 1, lastSeq: n * 3 + 3, attempt: 1, events };
        await storage.runCommits.commit([sampleChange(run, { frames })], 3000);
      }
    };
    const firsts = async (after: number, maxBytes: number) =>
      (await storage.as(ANN).frames.read('r', after, maxBytes)).map((row) => row.firstSeq);

    it('returns rows as they were committed, their text untouched', async () => {
      const events = '[ {"type":"text_delta","text":"ä\\u0000"} ]';
      const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events };
      await storage.runCommits.commit([sampleChange(run, { frames })], 3000);
      const { epochs } = run;
      expect(await storage.as(ANN).frames.read('r', 0, 1000)).toEqual([{ ...frames, epochs }]);
    });

    it('[frames.cursor] reads the events after a position, from the middle of a row too', async () => {
      await write(4);
      expect(await firsts(0, 10_000)).toEqual([1, 4, 7, 10]);
      expect(await firsts(3, 10_000)).toEqual([4, 7, 10]);
      expect(await firsts(4, 10_000)).toEqual([4, 7, 10]);
      expect(await firsts(5, 10_000)).toEqual([4, 7, 10]);
      expect(await firsts(6, 10_000)).toEqual([7, 10]);
      expect(await firsts(11, 10_000)).toEqual([10]);
      expect(await firsts(12, 10_000)).toEqual([]);
    });

    it('[frames.back] reads the last rows of a stream, newest first, up to a limit', async () => {
      const back = async (query: { before?: number; limit: number }, owner = ANN) =>
        (await storage.as(owner).frames.readBack('r', query)).map((row) => row.firstSeq);
      expect(await back({ limit: 3 })).toEqual([]);
      await write(4);
      expect(await back({ limit: 3 })).toEqual([10, 7, 4]);
      expect(await back({ before: 4, limit: 3 })).toEqual([1]);
      expect(await back({ before: 1, limit: 3 })).toEqual([]);
      expect(await back({ limit: 1 }, BOB)).toEqual([]);
    });

    it('[frames.bounded] reads at least one row and about as many bytes as requested', async () => {
      await write(30, JSON.stringify('y'.repeat(1000)));
      expect(await firsts(0, 1)).toEqual([1]);
      expect(await firsts(0, 6000)).toEqual([1, 4]);
      expect(await firsts(0, 60_000)).toHaveLength(20);
      expect(await firsts(0, 1_000_000)).toHaveLength(30);
    });

    it('reads a long stream in pages without a hole', async () => {
      await write(120);
      let after = 0;
      const seen: number[] = [];
      while (true) {
        const rows = await storage.as(ANN).frames.read('r', after, 200);
        if (rows.length === 0) break;
        seen.push(...rows.map((row) => row.firstSeq));
        after = rows.at(-1)?.lastSeq ?? after;
      }
      expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => n * 3 + 1));
    });

    it("[owner.frames] another user's stream is absent", async () => {
      await write(1);
      expect(await storage.as(BOB).frames.read('r', 0, 1000)).toEqual([]);
      expect(await storage.as(ANN).frames.read('unknown', 0, 1000)).toEqual([]);
    });
  });
}
