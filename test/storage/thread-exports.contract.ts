// The storage contract for the events of a thread that is exported.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import type { ExportedEvent, ThreadCut } from '../../src/storage/thread-packages.ts';
import {
  ANN,
  BOB,
  finishRun,
  sampleChange,
  sampleEvent,
  sampleRun,
  startRun,
  startRunOn,
} from './samples.ts';

export function threadExportsContract(open: () => Promise<Storage>): void {
  describe('thread exports', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const eventsOf = async (cut: ThreadCut | undefined) => {
      if (cut === undefined) throw new Error('there is no such thread');
      const events: ExportedEvent[] = [];
      for await (const event of cut.events()) events.push(event);
      return events;
    };

    it('[transfer.export.contents] has every event once and in order, however many and however long', async () => {
      const run = await startRun(storage, ANN, 'r');
      const { threadId } = run;
      const texts = Array.from({ length: 700 }, (_, n) => `${n} `.repeat(n % 200 === 60 ? 200_000 : 1));
      const traces = texts.map((text, n) =>
        sampleEvent(text, { category: n % 2 === 0 ? 'trace' : 'message' }),
      );
      await storage.runCommits.commit([sampleChange(run, { events: traces })], 3000);
      await finishRun(storage, run);
      const events = await eventsOf(await storage.as(ANN).threadExports.cut(threadId));
      expect(events.map(({ seq }) => seq)).toEqual(texts.map((_, n) => n + 1));
      expect(events.every(({ content }, n) => content === texts[n])).toBe(true);
      expect(events.every(({ replaced, repeated }) => !replaced && !repeated)).toBe(true);
      expect(await storage.as(BOB).threadExports.cut(threadId)).toBeUndefined();
    });

    it('[transfer.export.active] continues past the events of a run that has not ended', async () => {
      const first = await startRun(storage, ANN, 'first');
      const { threadId } = first;
      await storage.runCommits.commit([sampleChange(first, { events: [sampleEvent('ended')] })], 3000);
      await finishRun(storage, first);
      const second = await startRunOn(storage, ANN, sampleRun('second', threadId));
      const many = Array.from({ length: 120 }, (_, n) => sampleEvent(`still going on ${n}`));
      await storage.runCommits.commit([sampleChange(second, { events: many })], 3000);
      const cut = await storage.as(ANN).threadExports.cut(threadId);
      expect((await eventsOf(cut)).map(({ content }) => content)).toEqual(['ended']);
      // Later events are no part of the export.
      await finishRun(storage, second);
      expect(await eventsOf(cut)).toHaveLength(1);
    });
  });
}
