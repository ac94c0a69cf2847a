// The run log by itself: outages, fencing, order. Also the states that checkpoints fold to
// (docs/decisions/0070-run-log.md).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { keptAlive } from '../../src/http/streams/sse.ts';
import { humanMessage } from '../../src/messages/message.ts';
import { RunLog } from '../../src/runs/log/run-log.ts';
import { RunTails } from '../../src/runs/log/run-tails.ts';
import { RunLostError } from '../../src/runs/log/run-writer.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createThreadStates, NO_CHECKPOINT } from '../../src/storage/thread-states.ts';
import { REAL_TIMERS } from '../../src/timers.ts';
import { claimRuns } from '../storage/samples.ts';
import { QUIET_LOG as log } from '../support/quiet-log.ts';

const DAY = 86_400_000;
let storage: Storage;
let run: RunRecord;

beforeEach(async () => {
  storage = await openStorage({ url: 'sqlite::memory:', log });
  const repositories = storage.as('user');
  await repositories.threads.create({ threadId: 't', metadata: {}, assistantId: null, now: 1 });
  await repositories.runs.admit({
    runId: 'r',
    threadId: 't',
    assistantId: 'lead_agent',
    metadata: {},
    kwargs: {},
    multitaskStrategy: 'reject',
    events: [],
    now: 1,
  });
  run = await claim('first');
});
afterEach(() => storage.close());

/** Claims the run for a worker after fencing all others. */
async function claim(workerId: string): Promise<RunRecord> {
  await storage.workers.fenceOthers(workerId);
  const [claimed] = await claimRuns(storage, { workerId });
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

const worker = { id: 'first', acknowledge: () => {} };
const text = (word: string) => ({
  events: [{ event: { type: 'text_delta', messageId: 'm', text: word } as const }],
});

function openLog(commits: Pick<Storage['runCommits'], 'commit' | 'onDisk'>, tails: RunTails) {
  const times = { now: () => 2, flushIntervalMs: 1, sortAfterMs: 1_000 };
  return new RunLog({ commits, tails, log, worker, ...times });
}

describe('the run log', () => {
  it('flushes less often the more runs report, and without delay when few do', async () => {
    const delays: number[] = [];
    const batches: number[] = [];
    let said = 0;
    const runLog = new RunLog({
      commits: {
        commit: async (_changes, _now, flush) => {
          batches.push(flush?.pieces.length ?? 0);
          return { lost: [], blocked: [] };
        },
        onDisk: async () => {},
      },
      tails: new RunTails(),
      log,
      now: () => 2,
      flushIntervalMs: 10,
      worker,
      sortAfterMs: 1_000,
      timers: {
        ...REAL_TIMERS,
        elapsed: () => 0,
        after: (ms, work) => {
          delays.push(ms);
          return REAL_TIMERS.after(0, work);
        },
      },
    });
    const writers = Array.from({ length: 2_000 }, (_, n) =>
      runLog.open({ ...run, runId: `r${n}` }, 0, () => {}),
    );
    for (const runs of [1, 400, 1, 2_000, 1, 1]) {
      for (const writer of writers.slice(0, runs)) writer.append(text('a'));
      said += runs;
      await expect.poll(() => batches.reduce((sum, size) => sum + size, 0), { interval: 1 }).toBe(said);
      await runLog.idle();
    }
    expect(batches.reduce((sum, size) => sum + size)).toBe(2_404);
    // After 0, 1, 400, 1, 2,000 and 1 runs.
    expect(delays).toEqual([10, 10, 16, 10, 20, 10]);
  });

  it('waits a millisecond per reporting run when a caller waits, and never longer than without one', async () => {
    const delays: number[] = [];
    const after = (ms: number, work: () => void) => {
      delays.push(ms);
      return REAL_TIMERS.after(0, work);
    };
    const soon = (work: () => void) => after(0, work);
    const timers = { ...REAL_TIMERS, elapsed: () => 0, after, soon };
    const commits = { commit: async () => ({ lost: [], blocked: [] }), onDisk: async () => {} };
    const times = { now: () => 2, flushIntervalMs: 10, sortAfterMs: 1_000, timers };
    const runLog = new RunLog({ commits, tails: new RunTails(), log, worker, ...times });
    const writers = Array.from({ length: 40 }, (_, n) =>
      runLog.open({ ...run, runId: `r${n}` }, 0, () => {}),
    );
    for (const runs of [1, 4, 40, 1]) {
      for (const writer of writers.slice(0, runs)) writer.append(text('a'));
      writers[0]?.hurry();
      await runLog.idle();
    }
    // Per round, the delay planned before the caller waited, and its replacement: after 0, 1, 4 and 40 runs.
    expect(delays).toEqual([10, 0, 10, 1, 10, 4, 10, 10]);
  });

  it('[storage.durable.ahead] shows what is on the disk, in order, and commits one more flush in the meantime', async () => {
    const disk: (() => void)[] = [];
    let commits = 0;
    let isQuick = false;
    const tails = new RunTails();
    const runLog = openLog(
      {
        commit: async () => {
          commits++;
          return { lost: [], blocked: [] };
        },
        onDisk: () => (isQuick ? Promise.resolve() : new Promise((resolve) => disk.push(resolve))),
      },
      tails,
    );
    const writer = runLog.open(run, 0, () => {});
    for (const [index, word] of ['one', 'two'].entries()) {
      writer.append(text(word));
      await expect.poll(() => disk.length, { interval: 1 }).toBe(index + 1);
    }
    writer.append(text('three'));
    const third = writer.durable();
    // The second flush is confirmed first.
    disk[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect([commits, tails.after('r', { after: 0 }, 10)]).toEqual([2, []]);
    disk[0]?.();
    await expect.poll(() => disk.length, { interval: 1 }).toBe(3);
    expect(tails.after('r', { after: 0 }, 10)?.map(({ seq }) => seq)).toEqual([1, 2]);
    isQuick = true;
    disk[2]?.();
    await third;
    expect(tails.after('r', { after: 0 }, 10)).toHaveLength(3);
    await runLog.idle();
  });

  it('[runs.log.common] text alone waits in the common log for the next other change of the run', async () => {
    const runLog = openLog(storage.runCommits, new RunTails());
    const writer = runLog.open(run, 0, () => {});
    const rows = async () =>
      (await storage.as('user').frames.read('r', 0, DAY)).map(({ lastSeq }) => lastSeq);
    writer.append({ ...text('one'), record: [] });
    await writer.durable();
    writer.append(text('two'));
    await writer.durable();
    expect(await rows()).toEqual([]);
    writer.append({ ...text('three'), thread: { displayName: 'three' } });
    await writer.durable();
    expect(await rows()).toEqual([3]);
    await runLog.idle();
  });

  it('[runs.log.blocked] a run whose thread is locked waits with everything that it reports, and others do not', async () => {
    let isHeld = true;
    const commits: Pick<Storage['runCommits'], 'commit' | 'onDisk'> = {
      onDisk: storage.runCommits.onDisk,
      commit: async (changes, now, flush) => {
        const free = changes.filter(({ runId }) => !isHeld || runId !== 'r');
        const { lost } = await storage.runCommits.commit(free, now, flush && { ...flush, sortedTo: 0 });
        return { lost, blocked: free.length < changes.length ? ['r'] : [] };
      },
    };
    const tails = new RunTails();
    const runLog = openLog(commits, tails);
    const writer = runLog.open(run, 0, () => {});
    writer.append(text('one'));
    await writer.durable();
    writer.append({ ...text('two'), thread: { displayName: 'two' } });
    let isWritten = false;
    const all = writer.durable().then(() => {
      isWritten = true;
    });
    const other = runLog.open({ ...run, runId: 'other' }, 0, () => {});
    other.append(text('beside it'));
    await other.durable();
    writer.append(text('three'));
    other.append(text('and on'));
    await other.durable();
    expect([
      isWritten,
      tails.after('r', { after: 0 }, 10)?.length,
      tails.after('other', { after: 0 }, 10)?.length,
    ]).toEqual([false, 1, 2]);
    isHeld = false;
    await all;
    await runLog.idle();
    const rows = await storage.as('user').frames.read('r', 0, DAY);
    const said = rows.flatMap(({ events }) => JSON.parse(events));
    expect(said).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    expect(tails.after('r', { after: 0 }, 10)?.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('[runs.log.outage] retries while the database does not respond, and shows nothing until it does', async () => {
    let down = 3;
    const commits: Pick<Storage['runCommits'], 'commit' | 'onDisk'> = {
      ...storage.runCommits,
      commit: async (changes, now, flush) => {
        if (down-- > 0) throw unavailable('The database does not answer.');
        return storage.runCommits.commit(changes, now, flush);
      },
    };
    const tails = new RunTails();
    const runLog = openLog(commits, tails);
    const writer = runLog.open(run, 0, () => {});
    writer.append(text('one'));
    writer.append(text('two'));
    expect(tails.after('r', { after: 0 }, 10)).toEqual([]);
    await writer.durable();
    expect(down).toBe(-1);
    expect(tails.after('r', { after: 0 }, 10)?.map(({ seq }) => seq)).toEqual([1, 2]);
    await runLog.idle();
    const rows = await storage.as('user').frames.read('r', 0, DAY);
    expect(rows.flatMap(({ events }) => JSON.parse(events))).toMatchObject([
      { text: 'one' },
      { text: 'two' },
    ]);
  });

  it('[runs.recovery.fenced] a writer whose run was taken over changes nothing and learns of it', async () => {
    const tails = new RunTails();
    const runLog = openLog(storage.runCommits, tails);
    let lost = 0;
    const writer = runLog.open(run, 0, () => lost++);
    writer.append(text('mine'));
    await writer.durable();
    const second = await claim('second');
    expect(second.attempt).toBe(run.attempt + 1);
    writer.append({ ...text('too late'), run: { status: 'success' } });
    await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
    writer.append(text('ignored'));
    await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
    expect(lost).toBe(1);
    expect(await storage.as('user').runs.get('r')).toMatchObject({ status: 'running', attempt: 2 });
    const rows = await storage.as('user').frames.read('r', 0, DAY);
    expect(rows.flatMap(({ events }) => JSON.parse(events))).toMatchObject([{ text: 'mine' }]);
    expect(tails.after('r', { after: 0 }, 10)).toHaveLength(1);
  });
});

describe('states', () => {
  it('[state.snapshots] append-only threads have none; replacing ones stay within twice the state', async () => {
    const states = createThreadStates({ maxBytes: 1_000_000 });
    let at = NO_CHECKPOINT;
    let snapshots = 0;
    let written = 0;
    const step = (content: string, messageId: string) => {
      const delta = { messages: [humanMessage(messageId, content)], values: {} };
      const made = states.extend(at, {
        checkpointId: `c${at.step}`,
        runId: null,
        namespace: '',
        source: 'loop',
        node: null,
        delta,
        next: [],
        tasks: [],
        metadata: {},
        now: 1,
      });
      at = made.folded;
      if (made.row.snapshot !== null) snapshots++;
      written += made.row.delta.length + (made.row.snapshot?.length ?? 0);
    };
    for (let index = 0; index < 300; index++) step('appended', `m${index}`);
    expect(snapshots).toBe(0);
    for (let index = 0; index < 3_000; index++) step(`changed ${index}`, `m${index % 300}`);
    const live = JSON.stringify({ messages: at.state.messages, values: {} }).length;
    expect(at.foldBytes).toBeLessThan(live * 2.5);
    expect(snapshots).toBeGreaterThan(0);
    expect(written).toBeLessThan(3_300 * 300 * 2.5);
  });
});

describe('a body with heartbeats', () => {
  it('[runs.stream.heartbeat] sends ":" on a line by itself while there is nothing else to send', async () => {
    const gate = Promise.withResolvers<void>();
    async function* texts(): AsyncGenerator<string, void, void> {
      yield 'event: a\ndata: 1\nid: 1-0\n\n';
      await gate.promise;
      yield 'event: b\ndata: 2\nid: 2-0\n\n';
    }
    let closed = '';
    const body = keptAlive(texts(), { heartbeat: ':\n', heartbeatMs: 2, onClose: (why) => (closed = why) });
    const decoder = new TextDecoder();
    let all = '';
    for await (const chunk of body.stream()) {
      all += decoder.decode(chunk);
      if (all.endsWith(':\n:\n')) gate.resolve();
    }
    expect(all).toMatch(/^event: a\ndata: 1\nid: 1-0\n\n(:\n){2,}event: b\ndata: 2\nid: 2-0\n\n$/);
    expect(closed).toBe('ended');
  });
});
