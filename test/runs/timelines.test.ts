// A database that loses events which a reader has seen: it was restored, or is a replica that was behind.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/runs/log/log-event.ts';
import { RunLog } from '../../src/runs/log/run-log.ts';
import { RunTails } from '../../src/runs/log/run-tails.ts';
import type { RunWriter } from '../../src/runs/log/run-writer.ts';
import { framePosition } from '../../src/runs/reading/frame-position.ts';
import { type NumberedFrame, readFrames } from '../../src/runs/reading/run-frames.ts';
import { RunStream } from '../../src/runs/reading/run-stream.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Repositories, Storage } from '../../src/storage/storage.ts';
import { createThreadStates } from '../../src/storage/thread-states.ts';
import { claimRuns } from '../storage/samples.ts';
import { QUIET_LOG as log } from '../support/quiet-log.ts';

let folder: string;
let opened: Storage[];
/** The database that all processes use at the moment. */
let storage: Storage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timelines-'));
  opened = [];
  await reach('first');
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
afterEach(async () => {
  for (const it of opened) await it.close();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string) => join(folder, `${name}.db`);

async function reach(name: string): Promise<void> {
  storage = await openStorage({ url: `sqlite:${file(name)}`, log });
  opened.push(storage);
}

/** Saves the current database under this name, for a later `reach`. */
function backUp(name: string): void {
  const database = new DatabaseSync(file('first'));
  database.exec(`vacuum into '${file(name)}'`);
  database.close();
}

/** Returns repositories that always use the current database. */
function repositories(): Repositories {
  return {
    ...storage.as('user'),
    get frames() {
      return storage.as('user').frames;
    },
    get runs() {
      return storage.as('user').runs;
    },
  };
}

async function claim(workerId: string): Promise<RunRecord> {
  await storage.workers.register({ workerId, leaseMs: 600_000 });
  await storage.workers.fenceOthers(workerId);
  const [claimed] = await claimRuns(storage, { workerId });
  if (claimed === undefined) throw new Error('There was nothing to claim.');
  return claimed;
}

function openProcess() {
  const tails = new RunTails();
  const worker = { id: 'w1', acknowledge: () => {} };
  const runLog = new RunLog({
    commits: {
      commit: (...args) => storage.runCommits.commit(...args),
      onDisk: () => storage.runCommits.onDisk(),
    },
    tails,
    log,
    worker,
    now: () => 2,
    flushIntervalMs: 1,
    sortAfterMs: 1,
  });
  return {
    stream: new RunStream({ tails, pollAfterMs: () => 1 }),
    async takeUp(workerId: string, lastSeq: number): Promise<{ run: RunRecord; writer: RunWriter }> {
      worker.id = workerId;
      const run = await claim(workerId);
      return { run, writer: runLog.open(run, lastSeq, () => {}) };
    },
  };
}

async function say(writer: RunWriter, ...words: readonly string[]): Promise<void> {
  for (const text of words)
    writer.append({ events: [{ event: { type: 'text_delta', messageId: 'm', text } }], record: [] });
  await writer.durable();
}

async function end(writer: RunWriter): Promise<void> {
  writer.append({
    events: [{ event: { type: 'end', status: 'success', stopReason: 'completed' } }],
    run: { status: 'success' },
  });
  await writer.durable();
}

const told = ({ seq, event, kept }: LoggedEvent) => ({
  seq,
  said: 'text' in event ? event.text : event.type,
  ...(kept && { kept: kept.seq }),
});

/** Reads until there are enough events. */
async function next(reading: AsyncIterator<readonly LoggedEvent[]>, enough: number): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  while (events.length < enough) {
    const { value, done } = await reading.next();
    if (done === true) break;
    events.push(...value);
  }
  return events;
}

describe.each(['from memory', 'from another process'])('a connected reader, %s', (where) => {
  it('[runs.epochs.live] learns how much of what it saw is still true, and continues with the new events', async () => {
    const here = openProcess();
    const reader = where === 'from memory' ? here : openProcess();
    const first = await here.takeUp('w1', 0);
    await say(first.writer, 'one', 'two');
    backUp('replica');
    await say(first.writer, 'three', 'four', 'five');
    const { signal } = new AbortController();
    const reading = reader.stream.read({ run: first.run, repositories: repositories(), after: 0, signal });
    const seen = await next(reading, 5);
    expect(seen.map(told).at(-1)).toEqual({ seq: 5, said: 'five' });

    await reach('replica');
    const rest = next(reading, Number.POSITIVE_INFINITY);
    const second = await here.takeUp('w2', 2);
    // As many as were lost, and more: nothing relies on the count.
    await say(second.writer, 'drei', 'vier', 'fünf', 'sechs');
    await end(second.writer);
    expect((await rest).map(told)).toEqual([
      { seq: 3, said: 'drei', kept: 2 },
      { seq: 4, said: 'vier' },
      { seq: 5, said: 'fünf' },
      { seq: 6, said: 'sechs' },
      { seq: 7, said: 'end' },
    ]);
    const epochs = [...seen.slice(0, 2), ...(await rest)].map(({ epoch }) => epoch);
    const [before, after] = second.run.epochs.map(({ name }) => name);
    expect(epochs).toEqual([before, before, after, after, after, after, after]);
  });
});

describe('a reader that reconnects', () => {
  const from = (seq: number, epoch: string | undefined, run: RunRecord) => ({
    run,
    repositories: repositories(),
    after: seq - 1,
    seen: { seq, epoch },
    signal: new AbortController().signal,
  });

  it('[runs.epochs.waits] waits for the events of another process instead of taking them for lost', async () => {
    const owner = openProcess();
    const { run, writer } = await owner.takeUp('w1', 0);
    await say(writer, 'one');
    const epoch = run.epochs.at(-1)?.name;
    // The reader saw the fourth event at the owner. Storage has only the first one yet.
    const rest = next(openProcess().stream.read(from(4, epoch, run)), Number.POSITIVE_INFINITY);
    await say(writer, 'two', 'three', 'four', 'five');
    await end(writer);
    expect((await rest).map(told)).toEqual([
      { seq: 4, said: 'four' },
      { seq: 5, said: 'five' },
      { seq: 6, said: 'end' },
    ]);
  });

  it('[runs.epochs.waits] waits while its position may still appear, and learns when another epoch began', async () => {
    const owner = openProcess();
    const first = await owner.takeUp('w1', 0);
    await say(first.writer, 'one');
    const epoch = first.run.epochs.at(-1)?.name;
    const rest = next(openProcess().stream.read(from(4, epoch, first.run)), Number.POSITIVE_INFINITY);
    const second = await openProcess().takeUp('w2', 1);
    await end(second.writer);
    expect((await rest).map(told)).toEqual([{ seq: 2, said: 'end', kept: 1 }]);
  });

  it('[runs.epochs.fresh] with an epoch unknown to its process is believed when storage knows the epoch', async () => {
    const stale = openProcess();
    const first = await stale.takeUp('w1', 0);
    await say(first.writer, 'one', 'two');
    const second = await openProcess().takeUp('w2', 2);
    await say(second.writer, 'three', 'four');
    const epoch = second.run.epochs.at(-1)?.name;
    // This process still believes that it executes the run, and its copy of the run is old as well.
    const rest = next(stale.stream.read(from(3, epoch, first.run)), Number.POSITIVE_INFINITY);
    await end(second.writer);
    expect((await rest).map(told)).toEqual([
      { seq: 3, said: 'three' },
      { seq: 4, said: 'four' },
      { seq: 5, said: 'end' },
    ]);
  });

  it('[runs.epochs.memory] learns that the database has lost an end which its process remembers', async () => {
    const here = openProcess();
    const { run, writer } = await here.takeUp('w1', 0);
    await say(writer, 'one');
    backUp('replica');
    await end(writer);
    await writer.close();
    await reach('replica');
    const now = await storage.as('user').runs.get('r');
    expect(now?.status).toBe('running');
    const rest = next(
      here.stream.read(from(2, run.epochs.at(-1)?.name, now ?? run)),
      Number.POSITIVE_INFINITY,
    );
    const second = await openProcess().takeUp('w2', 1);
    await say(second.writer, 'zwei');
    await end(second.writer);
    expect((await rest).map(told)).toEqual([
      { seq: 2, said: 'zwei', kept: 1 },
      { seq: 3, said: 'end' },
    ]);
  });

  it('[runs.epochs.never-begun] with the end of a run that never started gets a gap when the run starts after all', async () => {
    backUp('replica');
    await storage
      .as('user')
      .runs.cancel('r', { action: 'interrupt', stopReason: 'interrupted_by_user', now: 2 });
    const cancelled = await storage.as('user').runs.get('r');
    if (cancelled === undefined) throw new Error('There is no run.');
    const { stream } = openProcess();
    const parts = { stream, states: createThreadStates({ maxBytes: 1_000 }) };
    const read = async (id: string | undefined): Promise<readonly NumberedFrame[]> => {
      const { signal } = new AbortController();
      const reader = { run: cancelled, repositories: repositories(), signal };
      const wanted = { modes: ['messages-tuple'], subgraphs: false } as const;
      const all: NumberedFrame[] = [];
      const position = framePosition(id);
      for await (const batch of readFrames(parts, reader, { wanted, position })) all.push(...batch);
      return all;
    };
    const seen = await read(undefined);
    expect(seen.map(({ event }) => event)).toEqual(['metadata', 'end']);
    expect(await read(seen.at(-1)?.id)).toEqual([]);
    await reach('replica');
    const rest = read(seen.at(-1)?.id);
    const { writer } = await openProcess().takeUp('w1', 0);
    writer.append({ events: [{ event: { type: 'attempt', attempt: 1 } }] });
    await say(writer, 'one', 'two');
    await end(writer);
    expect((await rest).map(({ event }) => event)).toEqual([
      'gap',
      'metadata',
      'messages',
      'messages',
      'end',
    ]);
  });

  it('[runs.epochs.kept] with a position after the end of the run learns where the end was', async () => {
    const { run, writer } = await openProcess().takeUp('w1', 0);
    await say(writer, 'one');
    await end(writer);
    const epoch = run.epochs.at(-1)?.name;
    const rest = await next(openProcess().stream.read(from(9, epoch, run)), Number.POSITIVE_INFINITY);
    expect(rest.map(told)).toEqual([{ seq: 2, said: 'end', kept: 1 }]);
  });
});
