// How long moving and changing a long conversation delays other users: `node bench/head-moves.ts [messages] [database url]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseSearchQuery } from '../src/messages/search/search-query.ts';
import type { MessageRevision } from '../src/storage/run-events.ts';
import { openStorage } from '../src/storage/sql/open-storage.ts';
import type { Storage } from '../src/storage/storage.ts';
import {
  ANN,
  createThread,
  deleteThread,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from '../test/storage/samples.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';
import { prose } from './prose.ts';

const CHARACTERS = 500;
const AT_ONCE = 500;
/** The clock of CPU time is coarse. */
const TIMES = 200;

const [size = '10000', url] = process.argv.slice(2);
const turns = Math.ceil(Number(size) / 2);
const folder = mkdtempSync(join(tmpdir(), 'line-moves-'));
const storage = await openStorage({ url: url ?? `sqlite:${join(folder, 'service.db')}`, log: QUIET_LOG });
const threadId = `thread-${Date.now()}`;
let spoken = 0;
const key = (name: string | number) => `${threadId}/${name}`;

try {
  await fill();
  const { checkpoints, runEvents, search, threads } = storage.as(ANN);
  const newest = { cursor: { kind: 'newest' }, limit: 50 } as const;
  const before = { cursor: { kind: 'before', seq: turns }, limit: 50 } as const;
  const list = async (name: string) => {
    await often(`a page of messages, ${name}`, () => runEvents.messages(threadId, newest));
    await often(`a page from the middle, ${name}`, () => runEvents.messages(threadId, before));
    await often(`a search, ${name}`, () => search.find(parseSearchQuery('the of'), { limit: 10, offset: 0 }));
  };
  await list('as filled');
  await measured('a branch at the first turn', () => branch('far', key(0)));
  await list('after the branch');
  await measured('back to the last turn', () => branch('back', key(turns - 1)));
  await list('after going back');
  await measured('200 messages said anew', () => revise('edit', 'back', idsFrom(0, 200)));
  await measured('200 messages taken out', () => revise('remove', 'edit', idsFrom(200, 400)));
  await measured('back to before that', () => append('undo', key('back')));
  await measured('all messages taken out', () => revise('remove-all', 'undo', idsFrom(0, turns * 2)));
  await measured('back to before that', () => append('restore', key('undo')));
  await measured('a copy', () =>
    threads.copy(threadId, { threadId: key('copy'), metadata: {}, now: Date.now() }),
  );
  await measured('a copy is deleted', () => deleteThread(storage, ANN, key('copy')));
  await measured('the thread is deleted', () => deleteThread(storage, ANN, threadId));

  async function head() {
    return (await threads.get(threadId))?.headCheckpointId ?? null;
  }

  async function branch(name: string, toId: string): Promise<void> {
    const run = await startRunOn(storage, ANN, sampleRun(key(`run-${name}`), threadId));
    const move = await storage.runCommits.prepareMove(threadId, {
      fromId: await head(),
      toId,
      runId: run.runId,
      attempt: run.attempt,
    });
    const step = ((await checkpoints.get(threadId, toId))?.step ?? 0) + 1;
    const message = said(name);
    const delta = JSON.stringify({ messages: [message], values: {} });
    const change = sampleChange(run, {
      checkpoints: [sampleCheckpoint(key(name), toId, { runId: run.runId, step, delta })],
      events: [sampleEvent(message)],
      run: { status: 'success', stopReason: 'completed' },
      thread: { branchedAt: toId, ...(move && { move }), headCheckpointId: key(name), status: 'idle' },
    });
    await storage.runCommits.commit([change], Date.now());
  }

  async function append(name: string, parentId: string, revisions: readonly MessageRevision[] = []) {
    const step = ((await checkpoints.get(threadId, parentId))?.step ?? 0) + 1;
    const checkpoint = sampleCheckpoint(key(name), parentId, { step });
    const outcome = await checkpoints.append(threadId, checkpoint, { expectedHead: await head(), revisions });
    if (outcome !== 'appended') throw new Error(outcome);
  }

  function revise(name: string, parent: string, ids: readonly string[]) {
    const revisions = ids.map((id): MessageRevision => {
      const metadata = { message_id: id, checkpoint_id: key(name) };
      const event =
        name === 'edit'
          ? sampleEvent({ ...said(id), id }, { eventType: 'message_edited', metadata })
          : sampleEvent('', { eventType: 'message_removed', metadata });
      return { messageId: id, event, isReturn: false };
    });
    return append(name, key(parent), revisions);
  }
} finally {
  await storage.close();
  rmSync(folder, { recursive: true });
}

function said(id: string) {
  spoken += 1;
  return { id, type: 'ai', content: prose(spoken, CHARACTERS) };
}

function idsFrom(first: number, end: number): readonly string[] {
  return Array.from({ length: end - first }, (_, n) => key(`m${first + n}`));
}

async function fill(): Promise<void> {
  await createThread(storage, ANN, threadId);
  let parent: string | null = null;
  for (let turn = 0; turn < turns; turn += AT_ONCE) {
    const run = await startRunOn(storage, ANN, sampleRun(key(`run-${turn}`), threadId));
    const some = Array.from({ length: Math.min(AT_ONCE, turns - turn) }, (_, n) => turn + n);
    const messages = some.flatMap((n) => [said(key(`m${2 * n}`)), said(key(`m${2 * n + 1}`))]);
    const made = some.map((n, index) => {
      const delta = JSON.stringify({ messages: messages.slice(2 * index, 2 * index + 2), values: {} });
      const checkpoint = sampleCheckpoint(key(n), parent, { runId: run.runId, step: n, delta });
      parent = key(n);
      return checkpoint;
    });
    const change = sampleChange(run, {
      checkpoints: made,
      events: messages.map((message) => sampleEvent(message)),
      run: { status: 'success', stopReason: 'completed' },
      thread: { headCheckpointId: parent, status: 'idle' },
    });
    await storage.runCommits.commit([change], Date.now());
  }
}

/** Of this thread: other processes do not count. */
function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The time of the whole, the longest turn of the event loop in CPU time, and the longest commit of another run meanwhile. */
async function measured(what: string, work: () => Promise<unknown>): Promise<void> {
  const other = await otherRun(storage, what);
  let over = false;
  let stop = 0;
  let flush = 0;
  const looping = (async () => {
    for (let last = cpuMilliseconds(); !over; ) {
      await nextTurn();
      const now = cpuMilliseconds();
      stop = Math.max(stop, now - last);
      last = now;
    }
  })();
  const committing = (async () => {
    for (let n = 0; !over; n += 1) {
      const change = sampleChange(other, { events: [sampleEvent({ id: `${n}`, type: 'ai', content: 'x' })] });
      const began = performance.now();
      await storage.runCommits.commit([change], Date.now());
      flush = Math.max(flush, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop = 0;
  flush = 0;
  const began = performance.now();
  await work();
  const took = performance.now() - began;
  over = true;
  await Promise.all([committing, looping]);
  tell(
    what,
    `${took.toFixed(0)} ms; longest turn ${stop.toFixed(1)} ms of CPU; longest commit ${flush.toFixed(1)} ms`,
  );
}

async function otherRun(from: Storage, name: string) {
  const other = key(`${name} ${performance.now()}`);
  await createThread(from, ANN, other);
  return startRunOn(from, ANN, sampleRun(`run ${other}`, other));
}

async function often(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = cpuMilliseconds();
  for (let n = 0; n < TIMES; n += 1) await work();
  tell(what, `${((cpuMilliseconds() - began) / TIMES).toFixed(2)} ms of CPU`);
}

function tell(what: string, figures: string): void {
  process.stdout.write(`${what.padEnd(44)} ${figures}\n`);
}
