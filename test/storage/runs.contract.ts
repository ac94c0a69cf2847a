// The storage contract for runs: admission and reading.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_TOTALS } from '../../src/storage/runs.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  CANCEL,
  claimRuns,
  createThread,
  finishRun,
  sampleEvent,
  sampleRun,
  startRun,
  startRunOn,
} from './samples.ts';

export function runsContract(open: () => Promise<Storage>): void {
  describe('runs', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const runsOf = (owner: string | typeof UNSCOPED) => storage.as(owner).runs;

    it('admits a run as pending and makes its thread busy', async () => {
      const metadata = { source: 'test' };
      const admitted = await admitRun(storage, ANN, sampleRun('r', 't', { metadata, now: 2000 }));
      expect(admitted).toEqual({
        runId: 'r',
        threadId: 't',
        userId: ANN,
        assistantId: 'lead_agent',
        status: 'pending',
        metadata,
        kwargs: { input: { messages: [] } },
        multitaskStrategy: 'enqueue',
        followUpToRunId: null,
        attempt: 0,
        epochs: [],
        leaseOwner: null,
        baseCheckpointId: null,
        formerHead: undefined,
        startAfter: null,
        cancel: null,
        stopReason: null,
        error: null,
        createdAt: 2000,
        updatedAt: 2000,
        startedAt: null,
        finishedAt: null,
        numbersFrom: null,
        totals: NO_TOTALS,
      });
      expect(await runsOf(ANN).get('r')).toEqual(admitted);
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({ status: 'busy', updatedAt: 2000 });
    });

    it('[runs.admit.events] the question is recorded with the run, or neither is', async () => {
      const events = [sampleEvent('hello', { eventType: 'human_message' })];
      await runsOf(ANN).admit(sampleRun('r', 't', { events }));
      const { events: recorded } = await storage
        .as(ANN)
        .runEvents.list('t', { cursor: { kind: 'newest' }, limit: 10 });
      expect(recorded).toMatchObject([{ runId: 'r', seq: 1, content: 'hello', userId: ANN, metadata: {} }]);
      const twice = runsOf(ANN).admit(sampleRun('r', 't', { events }));
      await expect(twice).rejects.toThrow();
      const after = await storage.as(ANN).runEvents.list('t', { cursor: { kind: 'newest' }, limit: 10 });
      expect(after.events).toHaveLength(1);
    });

    it('[runs.follow-up.automatic] a run follows the latest successful run of its thread', async () => {
      await finishRun(storage, await startRunOn(storage, ANN, sampleRun('first', 't', { now: 1 })));
      await finishRun(storage, await startRunOn(storage, ANN, sampleRun('second', 't', { now: 2 })));
      const events = [sampleEvent('and?', { eventType: 'human_message' }), sampleEvent('other')];
      const admitted = await admitRun(storage, ANN, sampleRun('third', 't', { events, now: 3 }));
      expect(admitted).toMatchObject({ followUpToRunId: 'second' });
      const recorded = await storage.as(ANN).runEvents.list('t', { cursor: { kind: 'newest' }, limit: 10 });
      expect(recorded.events.map((event) => event.metadata)).toEqual([{ follow_up_to_run_id: 'second' }, {}]);
    });

    it('[runs.follow-up.explicit] a given follow-up wins over the latest successful run', async () => {
      await finishRun(storage, await startRunOn(storage, ANN, sampleRun('first', 't', { now: 1 })));
      await finishRun(storage, await startRunOn(storage, ANN, sampleRun('second', 't', { now: 2 })));
      const admitted = await admitRun(
        storage,
        ANN,
        sampleRun('r', 't', { followUpToRunId: 'first', now: 3 }),
      );
      expect(admitted).toMatchObject({ followUpToRunId: 'first' });
    });

    it('[runs.admit.reject] reject is busy while a run of the thread is pending or running', async () => {
      const rejecting = async (runId: string) =>
        (await runsOf(ANN).admit(sampleRun(runId, 't', { multitaskStrategy: 'reject' }))).kind;
      expect(await rejecting('first')).toBe('admitted');
      expect(await rejecting('second')).toBe('busy');
      const [first] = await claimRuns(storage, { workerId: 'w' });
      expect(await rejecting('third')).toBe('busy');
      if (first !== undefined) await finishRun(storage, first);
      expect(await rejecting('fourth')).toBe('admitted');
      expect(await runsOf(ANN).get('second')).toBeUndefined();
    });

    it('of many concurrent rejecting admissions one succeeds', async () => {
      const runs = Array.from({ length: 8 }, (_, n) =>
        sampleRun(`r${n}`, 't', { multitaskStrategy: 'reject' }),
      );
      const answers = await Promise.all(runs.map((run) => runsOf(ANN).admit(run)));
      expect(answers.filter((answer) => answer.kind === 'busy')).toHaveLength(7);
    });

    it('lists the runs of a thread, newest first, by status and page', async () => {
      for (const [n, runId] of ['a', 'b', 'c'].entries()) {
        await finishRun(storage, await startRunOn(storage, ANN, sampleRun(runId, 't', { now: n })));
      }
      await runsOf(ANN).admit(sampleRun('d', 't', { now: 9 }));
      await startRun(storage, ANN, 'elsewhere');
      const ids = async (query: object) =>
        (await runsOf(ANN).list('t', { limit: 10, offset: 0, ...query })).map((run) => run.runId).join('');
      expect(await ids({})).toBe('dcba');
      expect(await ids({ status: 'success' })).toBe('cba');
      expect(await ids({ limit: 2, offset: 1 })).toBe('cb');
    });

    it("[owner.runs] another user's runs and threads are absent", async () => {
      await runsOf(ANN).admit(sampleRun('r', 't'));
      expect(await runsOf(BOB).get('r')).toBeUndefined();
      expect(await runsOf(BOB).list('t', { limit: 10, offset: 0 })).toEqual([]);
      expect(await runsOf(BOB).admit(sampleRun('intruder', 't'))).toEqual({ kind: 'no_thread' });
      expect(await runsOf(BOB).cancel('r', CANCEL)).toBe('absent');
      expect(await runsOf(BOB).delete('r')).toBe('absent');
      expect(await runsOf(ANN).admit(sampleRun('lost', 'no-such-thread'))).toEqual({ kind: 'no_thread' });
      expect(await runsOf(ANN).get('r')).toMatchObject({ status: 'pending' });
    });

    it('everybody can read the runs of a shared thread', async () => {
      await createThread(storage, UNSCOPED, 'shared');
      await runsOf(UNSCOPED).admit(sampleRun('r', 'shared'));
      expect(await runsOf(ANN).get('r')).toMatchObject({ userId: null });
      expect(await runsOf(ANN).list('shared', { limit: 10, offset: 0 })).toHaveLength(1);
      expect(await runsOf(ANN).cancel('r', CANCEL)).toBe('absent');
      expect(await runsOf(ANN).delete('r')).toBe('absent');
    });
  });
}
