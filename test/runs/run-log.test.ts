// The run log by itself: outages, fencing, order; and the states that checkpoints fold to (design, section 4).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { keptAlive } from '../../src/http/sse.ts';
import { humanMessage } from '../../src/messages/message.ts';
import { createRunLog } from '../../src/runs/run-log.ts';
import { createRunTails } from '../../src/runs/run-tails.ts';
import { RunLostError } from '../../src/runs/run-writer.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createThreadStates, NO_CHECKPOINT } from '../../src/storage/thread-states.ts';
import { REAL_TIMERS } from '../../src/timers.ts';
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

async function claim(leaseOwner: string, now = 1): Promise<RunRecord> {
  const [claimed] = await storage.runLeases.claim({ leaseOwner, now, leaseUntil: now + 10 }, 1);
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

const text = (word: string) => ({
  events: [{ event: { type: 'text_delta', messageId: 'm', text: word } as const }],
});

describe('the run log', () => {
  it('writes less often the more runs report at once, and as soon as ever when few do', async () => {
    const delays: number[] = [];
    const batches: number[] = [];
    const runLog = createRunLog({
      commits: {
        commit: async (changes) => {
          batches.push(changes.length);
          return [];
        },
      },
      tails: createRunTails(),
      log,
      now: () => 2,
      flushIntervalMs: 10,
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
      await writers[0]?.durable();
      await runLog.idle();
    }
    expect(batches.reduce((sum, size) => sum + size)).toBe(2_404);
    // After 0, 1, 400, 1, 2,000 and 1 runs.
    expect(delays).toEqual([10, 10, 16, 10, 20, 10]);
  });

  it('[runs.log.outage] keeps trying while the database does not answer, and shows nothing until it does', async () => {
    let down = 3;
    const commits: Pick<Storage['runCommits'], 'commit'> = {
      commit: async (changes, now) => {
        if (down-- > 0) throw unavailable('The database does not answer.');
        return storage.runCommits.commit(changes, now);
      },
    };
    const tails = createRunTails();
    const writer = createRunLog({ commits, tails, log, now: () => 2, flushIntervalMs: 1 }).open(
      run,
      0,
      () => {},
    );
    writer.append(text('one'));
    writer.append(text('two'));
    expect(tails.after('r', 0, 10)).toEqual([]);
    await writer.durable();
    expect(down).toBe(-1);
    expect(tails.after('r', 0, 10)?.map(({ seq }) => seq)).toEqual([1, 2]);
    const rows = await storage.as('user').frames.read('r', 0, DAY);
    expect(rows.flatMap(({ events }) => JSON.parse(events))).toMatchObject([
      { text: 'one' },
      { text: 'two' },
    ]);
  });

  it('[runs.recovery.fenced] a writer whose run was taken over changes nothing and is told', async () => {
    const tails = createRunTails();
    const runLog = createRunLog({
      commits: storage.runCommits,
      tails,
      log,
      now: () => 2,
      flushIntervalMs: 1,
    });
    let lost = 0;
    const writer = runLog.open(run, 0, () => lost++);
    writer.append(text('mine'));
    await writer.durable();
    const second = await claim('second', 1_000);
    expect(second.attempt).toBe(run.attempt + 1);
    writer.append({ ...text('too late'), run: { status: 'success' } });
    await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
    writer.append(text('ignored'));
    await expect(writer.durable()).rejects.toBeInstanceOf(RunLostError);
    expect(lost).toBe(1);
    expect(await storage.as('user').runs.get('r')).toMatchObject({ status: 'running', attempt: 2 });
    const rows = await storage.as('user').frames.read('r', 0, DAY);
    expect(rows.flatMap(({ events }) => JSON.parse(events))).toMatchObject([{ text: 'mine' }]);
    expect(tails.after('r', 0, 10)).toHaveLength(1);
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
  it('[runs.stream.heartbeat] says ":" on a line of its own while there is nothing to say', async () => {
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
