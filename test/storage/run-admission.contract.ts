// The storage contract for runs that are requested again, and for runs that replace others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRun } from '../../src/storage/runs.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  CANCEL,
  claimRuns,
  createThread,
  endLease,
  finishRun,
  sampleChange,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

const DAY = 86_400_000;

export function runAdmissionContract(open: () => Promise<Storage>): void {
  describe('admissions', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const runsOf = (owner: string | typeof UNSCOPED) => storage.as(owner).runs;
    const allRuns = async (threadId = 't') =>
      (await runsOf(ANN).list(threadId, { limit: 100, offset: 0 })).map((run) => run.runId);

    describe('idempotency keys', () => {
      const keyed = (runId: string, threadId = 't', fields: Partial<NewRun> = {}) =>
        sampleRun(runId, threadId, { idempotencyKey: 'k', ...fields });

      it('[runs.idempotency] the same key and owner returns the existing run, and inserts nothing', async () => {
        const first = await admitRun(storage, ANN, keyed('first'));
        const events = [sampleEvent('again', { eventType: 'human_message' })];
        const again = await runsOf(ANN).admit(keyed('second', 't', { events, now: 1000 + DAY - 1 }));
        expect(again).toEqual({ kind: 'repeated', run: first });
        await createThread(storage, ANN, 'other');
        expect(await runsOf(ANN).admit(keyed('third', 'other'))).toEqual({ kind: 'repeated', run: first });
        expect(await runsOf(ANN).findByIdempotencyKey('k', 1000)).toEqual(first);
        expect(await runsOf(ANN).findByIdempotencyKey('unknown', 1000)).toBeUndefined();
        expect(await allRuns()).toEqual(['first']);
        expect(await storage.as(ANN).threads.get('other')).toMatchObject({ status: 'idle' });
        const page = await storage.as(ANN).runEvents.list('t', { cursor: { kind: 'newest' }, limit: 9 });
        expect(page.events).toEqual([]);
      });

      it('a repeated request does not conflict with the thread that it made busy itself', async () => {
        const request = { multitaskStrategy: 'reject' } as const;
        const first = await admitRun(storage, ANN, keyed('first', 't', request));
        expect(await runsOf(ANN).admit(keyed('second', 't', request))).toEqual({
          kind: 'repeated',
          run: first,
        });
      });

      it('[runs.idempotency.day] after 24 hours the key is free for a new run', async () => {
        await finishRun(storage, await startRunOn(storage, ANN, keyed('first')));
        expect(await runsOf(ANN).findByIdempotencyKey('k', 1000 + DAY)).toBeUndefined();
        await admitRun(storage, ANN, keyed('second', 't', { now: 1000 + DAY }));
        expect(await runsOf(ANN).findByIdempotencyKey('k', 1000 + DAY)).toMatchObject({ runId: 'second' });
        expect(await allRuns()).toEqual(['second', 'first']);
      });

      it('a refused run leaves its key free', async () => {
        await admitRun(storage, ANN, sampleRun('going', 't'));
        const refused = await runsOf(ANN).admit(keyed('refused', 't', { multitaskStrategy: 'reject' }));
        expect(refused).toEqual({ kind: 'busy' });
        expect(await runsOf(ANN).findByIdempotencyKey('k', 1000)).toBeUndefined();
        expect(await admitRun(storage, ANN, keyed('later'))).toMatchObject({ runId: 'later' });
      });

      it('[owner.idempotency] the same key of another owner is another key', async () => {
        await createThread(storage, BOB, 'his');
        await createThread(storage, UNSCOPED, 'shared');
        await admitRun(storage, ANN, keyed('hers'));
        await admitRun(storage, BOB, keyed('his', 'his'));
        await admitRun(storage, UNSCOPED, keyed('nobodys', 'shared'));
        expect(await runsOf(ANN).findByIdempotencyKey('k', 1000)).toMatchObject({ runId: 'hers' });
        expect(await runsOf(BOB).findByIdempotencyKey('k', 1000)).toMatchObject({ runId: 'his' });
        expect(await runsOf(UNSCOPED).admit(keyed('x', 'shared'))).toMatchObject({ kind: 'repeated' });
      });

      it('[runs.idempotency.race] of many concurrent requests one is admitted, whatever their threads', async () => {
        const threads = ['t', 'a', 'b', 'c', 't', 'a', 'b', 'c'];
        for (const threadId of ['a', 'b', 'c']) await createThread(storage, ANN, threadId);
        const answers = await Promise.all(
          threads.map((threadId, n) => runsOf(ANN).admit(keyed(`r${n}`, threadId))),
        );
        const admitted = answers.filter((answer) => answer.kind === 'admitted');
        expect(admitted).toHaveLength(1);
        const ids = answers.map((answer) => ('run' in answer ? answer.run.runId : answer.kind));
        expect(new Set(ids).size).toBe(1);
        const left = await Promise.all(['t', 'a', 'b', 'c'].map((threadId) => allRuns(threadId)));
        expect(left.flat()).toEqual([ids[0]]);
      });
    });

    describe('displacement', () => {
      it.each([
        ['interrupt', 'replaced', 'interrupt'],
        ['rollback', 'rolled_back', 'rollback'],
      ] as const)(
        '[runs.displace] %s ends waiting runs as %s and asks the running one to end',
        async (...row) => {
          const [multitaskStrategy, stopReason, action] = row;
          const running = await startRunOn(storage, ANN, sampleRun('running', 't', { now: 1 }));
          await admitRun(storage, ANN, sampleRun('waiting', 't', { now: 2 }));
          const later = sampleRun('later', 't', { now: 3, delayMs: 99_999 });
          await admitRun(storage, ANN, later);
          const admission = await runsOf(ANN).admit(sampleRun('new', 't', { multitaskStrategy, now: 4 }));
          expect(admission).toMatchObject({
            kind: 'admitted',
            run: { runId: 'new', status: 'pending', cancel: null },
            displaced: [{ runId: 'running', status: 'running', cancel: { action, stopReason } }],
          });
          const ended = { status: 'interrupted', stopReason, finishedAt: 4, cancel: null };
          expect(await runsOf(ANN).get('waiting')).toMatchObject(ended);
          expect(await runsOf(ANN).get('later')).toMatchObject(ended);
          expect(await runsOf(ANN).get('running')).toMatchObject({
            status: 'running',
            attempt: running.attempt,
            cancel: { action, stopReason },
          });
          expect(await storage.as(ANN).threads.get('t')).toMatchObject({ status: 'busy' });
        },
      );

      it('[runs.displace] displaced runs do not count as waiting, others do', async () => {
        await createThread(storage, ANN, 'other');
        await startRunOn(storage, ANN, sampleRun('running', 't', { now: 1 }));
        for (const [n, id] of ['a', 'b'].entries())
          await admitRun(storage, ANN, sampleRun(id, 't', { now: 2 + n }));
        const asked = (runId: string, fields: Partial<NewRun>) =>
          runsOf(ANN).admit(sampleRun(runId, 't', { now: 5, maxWaiting: 2, ...fields }));
        expect(await asked('queued', { multitaskStrategy: 'enqueue' })).toEqual({ kind: 'too_many_waiting' });
        for (const strategy of ['interrupt', 'rollback'] as const) {
          const admission = await asked(strategy, { multitaskStrategy: strategy });
          expect(admission).toMatchObject({ kind: 'admitted' });
        }
        for (const id of ['c', 'd']) await admitRun(storage, ANN, sampleRun(id, 'other', { now: 6 }));
        expect(await asked('late', { multitaskStrategy: 'interrupt' })).toEqual({ kind: 'too_many_waiting' });
        // A refused run has displaced nothing.
        expect(await runsOf(ANN).get('rollback')).toMatchObject({ status: 'pending' });
      });

      it('the new run starts when the displaced one has ended', async () => {
        const running = await startRunOn(storage, ANN, sampleRun('running', 't', { now: 1 }));
        await admitRun(storage, ANN, sampleRun('new', 't', { multitaskStrategy: 'interrupt', now: 2 }));
        expect(await claimRuns(storage, { workerId: 'worker' })).toEqual([]);
        await finishRun(storage, running);
        expect(await claimRuns(storage, { workerId: 'worker' })).toMatchObject([
          { runId: 'new', attempt: 1 },
        ]);
      });

      it('the first request to end a run wins', async () => {
        await startRunOn(storage, ANN, sampleRun('running', 't', { now: 1 }));
        await runsOf(ANN).cancel('running', CANCEL);
        await admitRun(storage, ANN, sampleRun('new', 't', { multitaskStrategy: 'rollback', now: 5000 }));
        expect(await runsOf(ANN).get('running')).toMatchObject({
          cancel: { action: 'interrupt', stopReason: 'interrupted_by_user' },
        });
      });

      it('leaves ended runs and other threads alone, and a refused run displaces none', async () => {
        await finishRun(storage, await startRunOn(storage, ANN, sampleRun('done', 't', { now: 1 })));
        await createThread(storage, ANN, 'other');
        await startRunOn(storage, ANN, sampleRun('elsewhere', 'other'));
        const interrupt = { multitaskStrategy: 'interrupt', idempotencyKey: 'k' } as const;
        const admission = await runsOf(ANN).admit(sampleRun('new', 't', interrupt));
        expect(admission).toMatchObject({ kind: 'admitted', displaced: [] });
        expect(await runsOf(ANN).admit(sampleRun('again', 't', interrupt))).toMatchObject({
          kind: 'repeated',
        });
        expect(await runsOf(ANN).get('new')).toMatchObject({ status: 'pending' });
        expect(await runsOf(ANN).get('done')).toMatchObject({ status: 'success', cancel: null });
        expect(await runsOf(ANN).get('elsewhere')).toMatchObject({ status: 'running', cancel: null });
      });

      it('[runs.displace.race] a run that ends at that moment has ended or is asked to end, never both', async () => {
        for (let n = 0; n < 12; n++) await displaceAtTheEnd(n);
      });

      const displaceAtTheEnd = async (n: number) => {
        const threadId = `t${n}`;
        await createThread(storage, ANN, threadId);
        const running = await startRunOn(storage, ANN, sampleRun(`old${n}`, threadId));
        const newer = sampleRun(`new${n}`, threadId, { multitaskStrategy: 'interrupt', now: 2000 });
        const [admission] = await Promise.all([runsOf(ANN).admit(newer), finishRun(storage, running)]);
        const old = await runsOf(ANN).get(running.runId);
        expect(old?.status).toBe('success');
        expect(admission).toMatchObject({ displaced: old?.cancel === null ? [] : [{ runId: old?.runId }] });
        expect(await runsOf(ANN).get(`new${n}`)).toMatchObject({ status: 'pending' });
        expect(await storage.as(ANN).threads.get(threadId)).toMatchObject({ status: 'busy' });
      };

      it('a request to end survives the worker that executes the run', async () => {
        const running = await startRunOn(storage, ANN, sampleRun('running', 't', { now: 1 }));
        await admitRun(storage, ANN, sampleRun('new', 't', { multitaskStrategy: 'rollback', now: 2 }));
        const cancel = { action: 'rollback', stopReason: 'rolled_back' };
        await endLease(storage, 'worker');
        expect(await claimRuns(storage, { workerId: 'other', fencesExpired: true })).toMatchObject([
          { runId: 'running', attempt: 2, cancel },
        ]);
        expect(await storage.runCommits.commit([sampleChange(running)], 12_002)).toEqual({
          lost: ['running'],
          blocked: [],
        });
        await storage.runLeases.release({ workerId: 'other', runId: 'running', attempt: 2 }, 12_003);
        expect(await claimRuns(storage, { workerId: 'other' })).toMatchObject([
          { runId: 'running', attempt: 2, cancel },
        ]);
      });
    });
  });
}
