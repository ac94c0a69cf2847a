// The storage contract for the group commit.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunChange } from '../../src/storage/run-commits.ts';
import { NO_TOTALS, type RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  commitPatiently,
  finishRun,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRun,
} from './samples.ts';

export function runCommitsContract(open: () => Promise<Storage>): void {
  describe('run commits', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const commit = (...changes: RunChange[]) => storage.runCommits.commit(changes, 5000);
    /** Returns a change with one of everything, recognisable by `tag`. */
    const everything = (of: RunRecord, tag: string): RunChange =>
      sampleChange(of, {
        frames: { firstSeq: 1, lastSeq: 1, attempt: of.attempt, events: `["${tag}"]` },
        events: [sampleEvent(tag)],
        checkpoints: [sampleCheckpoint(`c-${tag}`, null)],
        run: { baseCheckpointId: `c-${tag}` },
        thread: { headCheckpointId: `c-${tag}`, displayName: tag },
      });
    const written = async (of: RunRecord, owner = ANN) => {
      const repositories = storage.as(owner);
      const events = await repositories.runEvents.list(of.threadId, { cursor: { kind: 'newest' }, limit: 9 });
      return {
        frames: (await repositories.frames.read(of.runId, 0, 1000)).map((row) => row.events),
        events: events.events.map((event) => event.content),
        checkpoints: (await repositories.checkpoints.list(of.threadId, { limit: 9 })).length,
        base: (await repositories.runs.get(of.runId))?.baseCheckpointId,
        name: (await repositories.threads.get(of.threadId))?.displayName,
      };
    };
    const NOTHING = { frames: [], events: [], checkpoints: 0, base: null, name: null };

    it('writes everything that runs of several owners report', async () => {
      const other = await startRun(storage, BOB, 'other');
      expect(await commit(everything(run, 'x'), everything(other, 'y'))).toEqual({ lost: [], blocked: [] });
      const all = (tag: string) => ({
        frames: [`["${tag}"]`],
        events: [tag],
        checkpoints: 1,
        base: `c-${tag}`,
        name: tag,
      });
      expect(await written(run)).toEqual(all('x'));
      expect(await written(other, BOB)).toEqual(all('y'));
      expect(await commit()).toEqual({ lost: [], blocked: [] });
    });

    it('writes any number of changes in one commit', async () => {
      const runs = [run];
      for (let n = 0; n < 70; n++) runs.push(await startRun(storage, ANN, `many-${n}`));
      expect(await commit(...runs.map((it) => everything(it, it.runId)))).toEqual({ lost: [], blocked: [] });
      for (const it of runs) expect(await written(it)).toMatchObject({ events: [it.runId], name: it.runId });
    });

    it('[commits.fence] a change under another attempt is omitted and named', async () => {
      const other = await startRun(storage, ANN, 'other');
      const stale = { ...everything(run, 'stale'), attempt: run.attempt + 1 };
      expect(await commit(stale, everything(other, 'good'))).toEqual({ lost: ['r'], blocked: [] });
      expect(await written(run)).toEqual(NOTHING);
      expect(await written(other)).toMatchObject({ events: ['good'] });
    });

    it('[commits.fence.ended] a run that is not running any more accepts no changes', async () => {
      await commit(sampleChange(run, { run: { status: 'success' } }));
      expect(await commit(everything(run, 'late'))).toEqual({ lost: ['r'], blocked: [] });
      expect(await written(run)).toEqual(NOTHING);
      const pending = await admitRun(storage, ANN, sampleRun('pending', run.threadId));
      expect(await commit(everything(pending, 'early'))).toEqual({ lost: ['pending'], blocked: [] });
      expect(await commit(everything({ ...run, runId: 'unknown' }, 'none'))).toEqual({
        lost: ['unknown'],
        blocked: [],
      });
    });

    it('[commits.fence.deleted] a run of a deleted thread accepts no changes', async () => {
      await finishRun(storage, run);
      await storage.as(ANN).threads.delete(run.threadId);
      expect(await commit(everything(run, 'late'))).toEqual({ lost: ['r'], blocked: [] });
    });

    it('[commits.atomic] a commit that fails writes nothing of any change', async () => {
      const other = await startRun(storage, ANN, 'other');
      const colliding = { ...everything(other, 'y'), checkpoints: [sampleCheckpoint('c-x', null)] };
      await expect(commit(everything(run, 'x'), colliding)).rejects.toThrow();
      expect(await written(run)).toEqual(NOTHING);
      expect(await written(other)).toEqual(NOTHING);
      expect(await commit(everything(run, 'x'))).toEqual({ lost: [], blocked: [] });
      expect(await written(run)).toMatchObject({ events: ['x'] });
    });

    it('[commits.end] the end of a run sets its totals, ends its lease and frees its thread', async () => {
      const totals = {
        ...NO_TOTALS,
        totalInputTokens: 10,
        totalOutputTokens: 5,
        totalTokens: 15,
        llmCallCount: 2,
        leadAgentTokens: 12,
        middlewareTokens: 3,
        messageCount: 4,
        tokenUsageByModel: {
          demo: {
            tokens: 15,
            inputTokens: 10,
            cachedInputTokens: 4,
            outputTokens: 5,
            calls: 2,
            cost: { USD: 7 },
          },
        },
      };
      const end = { status: 'success', stopReason: 'completed', finishedAt: 4999, totals } as const;
      await commit(sampleChange(run, { run: end, thread: { status: 'idle', displayName: 'Boats' } }));
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({
        ...end,
        leaseOwner: null,
        updatedAt: 5000,
        error: null,
      });
      expect(await storage.as(ANN).threads.get(run.threadId)).toMatchObject({
        status: 'idle',
        displayName: 'Boats',
        updatedAt: 5000,
      });
    });

    it('a failed run keeps its error text and leaves its thread in error', async () => {
      const failed = {
        status: 'error',
        stopReason: 'model_error',
        error: 'The model does not answer.',
      } as const;
      await commit(sampleChange(run, { run: failed, thread: { status: 'error' } }));
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ ...failed, finishedAt: 5000 });
      expect(await storage.as(ANN).threads.get(run.threadId)).toMatchObject({ status: 'error' });
    });

    it('[commits.head] the head moves to a checkpoint, back, and to none', async () => {
      const head = async () => (await storage.as(ANN).threads.get(run.threadId))?.headCheckpointId;
      await commit(sampleChange(run, { thread: { headCheckpointId: 'c' } }));
      await commit(sampleChange(run, { thread: { displayName: 'kept' } }));
      expect(await head()).toBe('c');
      await commit(sampleChange(run, { thread: { headCheckpointId: null } }));
      expect(await head()).toBeNull();
      const first = sampleChange(run, { thread: { headCheckpointId: 'd' } });
      await commit(first, sampleChange(run, { thread: { displayName: 'kept' } }));
      expect(await head()).toBe('d');
    });

    it('[commits.busy] the thread stays busy while another of its runs waits', async () => {
      await storage.as(ANN).runs.admit(sampleRun('next', run.threadId));
      await commit(sampleChange(run, { run: { status: 'success' }, thread: { status: 'idle' } }));
      expect(await storage.as(ANN).threads.get(run.threadId)).toMatchObject({ status: 'busy' });
    });

    it('a later change of a run adds to an earlier one of the same commit', async () => {
      const first = sampleChange(run, {
        events: [sampleEvent('one')],
        run: { baseCheckpointId: 'c' },
        thread: { displayName: 'first' },
      });
      const second = sampleChange(run, {
        events: [sampleEvent('two')],
        run: { status: 'success' },
        thread: { status: 'idle' },
      });
      expect(await commit(first, second)).toEqual({ lost: [], blocked: [] });
      expect(await written(run)).toMatchObject({ events: ['one', 'two'], base: 'c', name: 'first' });
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'success' });
    });

    it('concurrent commits, admissions, leases and deletions neither block nor lose anything', async () => {
      const runs = [run];
      for (let n = 0; n < 8; n++) runs.push(await startRun(storage, ANN, `r${n}`));
      const doomed = await startRun(storage, ANN, 'doomed');
      await finishRun(storage, doomed);
      const events = [sampleEvent('tick')];
      const work = Array.from({ length: 10 }, async (_, n) => {
        const order = n % 2 === 0 ? runs : [...runs].reverse();
        const changes = order.map((it) => sampleChange(it, { events }));
        await commitPatiently(storage, changes);
        await storage.as(ANN).runs.admit(sampleRun(`q${n}`, run.threadId, { events }));
        await storage.workers.renew({ workerId: 'worker', leaseMs: 15_000, acknowledged: 0 });
      });
      await Promise.all([...work, storage.as(ANN).threads.delete(doomed.threadId)]);
      for (const it of runs) {
        const query = { cursor: { kind: 'newest' }, limit: 100 } as const;
        const page = await storage.as(ANN).runEvents.list(it.threadId, query);
        expect(page.events).toHaveLength(it === run ? 20 : 10);
      }
    });
  });
}
