// A run that this process lost: its readers follow it to where it goes on, and what it wrote has no holes.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRunLog, type RunLog } from '../../src/runs/run-log.ts';
import { createRunStream } from '../../src/runs/run-stream.ts';
import { createRunTails } from '../../src/runs/run-tails.ts';
import { RunLostError } from '../../src/runs/run-writer.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
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

async function claim(leaseOwner: string, now: number): Promise<RunRecord> {
  const [claimed] = await storage.runLeases.claim({ leaseOwner, now, leaseUntil: now + 10 }, 1);
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

/** What one process has of its own. */
function openProcess(commits: Pick<Storage['runCommits'], 'commit'> = storage.runCommits) {
  const tails = createRunTails();
  const runLog = createRunLog({ commits, tails, log, now: () => 2, flushIntervalMs: 1 });
  return { runLog, stream: createRunStream({ tails, pollMs: 1 }) };
}

function openWriter(runLog: RunLog, run: RunRecord, lastSeq: number) {
  return runLog.open(run, lastSeq, () => {});
}

const said = (text: string) => ({
  events: [{ event: { type: 'text_delta', messageId: 'm', text } as const }],
});

it('[runs.recovery.stream] a reader follows a run to the process that took it over', async () => {
  const first = openProcess();
  const run = await claim('first', 1);
  const lost = openWriter(first.runLog, run, 0);
  lost.append(said('one'));
  await lost.durable();
  const { signal } = new AbortController();
  const reading = first.stream.read({ run, repositories: storage.as('user'), after: 0, signal });
  expect((await reading.next()).value).toMatchObject([{ seq: 1 }]);

  const second = openWriter(openProcess().runLog, await claim('second', 1_000), 1);
  lost.append(said('too late'));
  await expect(lost.durable()).rejects.toBeInstanceOf(RunLostError);
  lost.close();
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

it('[runs.recovery.fenced] after something that cannot be written, nothing of the run is written any more', async () => {
  const gate = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const { runLog } = openProcess({
    commit: async (changes, now) => {
      writing.resolve();
      await gate.promise;
      if (JSON.stringify(changes).includes('poison')) throw new Error('cannot be bound');
      return storage.runCommits.commit(changes, now);
    },
  });
  const writer = openWriter(runLog, await claim('first', 1), 0);
  writer.append(said('poison'));
  await writing.promise;
  writer.append(said('after it'));
  gate.resolve();
  await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
  await runLog.idle();
  expect(await storage.as('user').frames.read('r', 0, 1_000_000)).toEqual([]);
});

it('[runs.recovery.back] a run that comes back while its older attempt is still at work here belongs to the newer one', async () => {
  const { runLog, stream } = openProcess();
  const run = await claim('first', 1);
  const older = openWriter(runLog, run, 0);
  await claim('second', 1_000);
  older.append(said('stale'));
  const newer = openWriter(runLog, await claim('first', 2_000), 0);
  newer.append(said('one'));
  await newer.durable();
  await expect(older.durable()).rejects.toBeInstanceOf(RunLostError);
  older.close();
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
