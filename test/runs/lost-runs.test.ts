// A run that this process lost: its readers follow it to the process that continues it, and its log has no
// holes.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RunLog } from '../../src/runs/log/run-log.ts';
import { RunTails } from '../../src/runs/log/run-tails.ts';
import { RunLostError } from '../../src/runs/log/run-writer.ts';
import { createWorker } from '../../src/runs/log/worker.ts';
import { RunStream } from '../../src/runs/reading/run-stream.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { REAL_TIMERS } from '../../src/timers.ts';
import { claimRuns } from '../storage/samples.ts';
import { QUIET_LOG as log } from '../support/quiet-log.ts';

let storage: Storage;
beforeEach(async () => {
  storage = await openStorage({ url: 'sqlite::memory:', log });
  const { threads, runs } = storage.as('user');
  await threads.create({ threadId: 't', metadata: {}, assistantId: null, now: 1 });
  await runs.admit({
    runId: 'r',
    threadId: 't',
    assistantId: 'lead_agent',
    metadata: {},
    kwargs: {},
    multitaskStrategy: 'reject',
    events: [],
    now: 1,
  });
});
afterEach(() => storage.close());

/** Claims the run for a worker after fencing all others. */
async function claim(workerId: string): Promise<RunRecord> {
  await storage.workers.fenceOthers(workerId);
  const [claimed] = await claimRuns(storage, { workerId });
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

/** Returns the log and the stream of one process, which executes runs under this id. */
function openProcess(
  workerId: string,
  commits: Pick<Storage['runCommits'], 'commit' | 'onDisk'> = storage.runCommits,
) {
  const tails = new RunTails();
  const worker = { id: workerId, acknowledge: () => {} };
  const times = { now: () => 2, flushIntervalMs: 1, sortAfterMs: 1_000 };
  const runLog = new RunLog({ commits, tails, log, worker, ...times });
  return { runLog, worker, stream: new RunStream({ tails, pollAfterMs: () => 1 }) };
}

function openWriter(runLog: RunLog, run: RunRecord, lastSeq: number) {
  return runLog.open(run, lastSeq, () => {});
}

const said = (text: string) => ({
  events: [{ event: { type: 'text_delta', messageId: 'm', text } as const }],
});

it('[runs.recovery.stream] a reader follows a run to the process that took it over', async () => {
  const first = openProcess('first');
  const run = await claim('first');
  const lost = openWriter(first.runLog, run, 0);
  lost.append(said('one'));
  await lost.durable();
  const { signal } = new AbortController();
  const reading = first.stream.read({ run, repositories: storage.as('user'), after: 0, signal });
  expect((await reading.next()).value).toMatchObject([{ seq: 1 }]);

  const second = openWriter(openProcess('second').runLog, await claim('second'), 1);
  lost.append(said('too late'));
  await expect(lost.durable()).rejects.toBeInstanceOf(RunLostError);
  await lost.close();
  second.append(said('two'));
  second.append({
    events: [{ event: { type: 'end', status: 'success', stopReason: 'completed' } }],
    run: { status: 'success' },
  });
  await second.durable();
  const rest = [];
  for await (const batch of reading) rest.push(...batch);
  expect(rest).toMatchObject([
    { seq: 2, event: { text: 'two' } },
    { seq: 3, event: { type: 'end' } },
  ]);
});

it('[runs.recovery.registering] a worker whose registration takes long does not look fenced', async () => {
  const reached = Promise.withResolvers<void>();
  const worker = createWorker({
    workers: {
      ...storage.workers,
      register: async (lease) => {
        await reached.promise;
        await storage.workers.register(lease);
      },
    },
    newId: () => 'slow',
    leaseMs: 60_000,
    renewalMs: 10_000,
    exclusive: false,
    timers: REAL_TIMERS,
  });
  const registration = worker.register();
  const renewal = worker.renew();
  reached.resolve();
  await registration;
  expect(await renewal).toEqual({ holdsRuns: false, hasWork: true });
});

it('[runs.recovery.fenced] after an event that cannot be written, nothing of the run is written any more', async () => {
  const gate = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const { runLog } = openProcess('first', {
    ...storage.runCommits,
    commit: async (changes, now, flush) => {
      writing.resolve();
      await gate.promise;
      if (JSON.stringify([changes, flush]).includes('poison')) throw new Error('cannot be bound');
      return storage.runCommits.commit(changes, now, flush);
    },
  });
  const writer = openWriter(runLog, await claim('first'), 0);
  writer.append(said('poison'));
  await writing.promise;
  writer.append(said('after it'));
  gate.resolve();
  await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
  await runLog.idle();
  expect(await storage.as('user').frames.read('r', 0, 1_000_000)).toEqual([]);
});

it('[runs.recovery.back] a run that returns while its older attempt still works here belongs to the newer one', async () => {
  const { runLog, stream, worker } = openProcess('first');
  const run = await claim('first');
  const older = openWriter(runLog, run, 0);
  await claim('second');
  older.append(said('stale'));
  worker.id = 'third';
  const newer = openWriter(runLog, await claim('third'), 0);
  newer.append(said('one'));
  await newer.durable();
  await expect(older.durable()).rejects.toBeInstanceOf(RunLostError);
  await older.close();
  newer.append({
    events: [{ event: { type: 'end', status: 'success', stopReason: 'completed' } }],
    run: { status: 'success' },
  });
  await newer.durable();
  const read = [];
  const { signal } = new AbortController();
  for await (const batch of stream.read({ run, repositories: storage.as('user'), after: 0, signal }))
    read.push(...batch);
  expect(read).toMatchObject([{ event: { text: 'one' } }, { event: { type: 'end' } }]);
});

it('[runs.recovery.reader] a reader that reconnects to a process that does not know yet that it lost the run continues', async () => {
  const first = openProcess('first');
  const lost = openWriter(first.runLog, await claim('first'), 0);
  lost.append(said('one'));
  await lost.durable();
  const run = await claim('second');
  const second = openWriter(openProcess('second').runLog, run, 1);
  second.append(said('two'));
  second.append(said('three'));
  await second.durable();
  // Its events are in the rows of the run.
  await second.close();
  const { signal } = new AbortController();
  expect(await first.stream.reaches({ run, repositories: storage.as('user'), signal }, 2)).toBe(true);
  await lost.close();
});
