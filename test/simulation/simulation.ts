// One simulation: processes that die, sleep and come back, clients that come and go, and one database.
import type { RunRoom } from '../../src/create-run-room.ts';
import { foldDeltas } from '../../src/messages/thread-state.ts';
import { loggedEvents } from '../../src/runs/log-event.ts';
import { FROM_THE_START, type NumberedFrame } from '../../src/runs/run-frames.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { parsedDelta } from '../../src/storage/thread-states.ts';
import {
  brokenInvariants,
  type ReadEvidence,
  type RunEvidence,
  type ThreadEvidence,
} from '../faults/invariants.ts';
import { createRandom, type Random } from './random.ts';
import { MODES, type Reading, simulateClient } from './simulated-client.ts';
import { createProcess, LEASE_MS, startProcess, USER } from './simulated-process.ts';
import { createVirtualTime } from './virtual-time.ts';
import type { Faults, World } from './world.ts';

const PROCESSES = 2;
const CLIENTS = 3;
const THREADS = 2;
const CHAOS_MS = 4_000;
const QUIET_MS = 60_000;

/** What does not hold afterwards; empty when everything does. `storage` may hold earlier simulations. */
export async function simulate(seed: number, storage: Storage): Promise<readonly string[]> {
  const random = createRandom(seed);
  const world = createWorld(seed, random, storage);
  const threadIds = Array.from({ length: THREADS }, () => world.newId());
  for (const threadId of threadIds) {
    const thread = { threadId, metadata: {}, assistantId: null, now: world.time.now() };
    await storage.as(USER).threads.create(thread);
  }
  for (let count = 0; count < PROCESSES; count++) world.processes.push(startProcess(world));
  const stopChaos = unleash(world);
  const readings: Reading[] = [];
  let working = CLIENTS;
  const failures: string[] = [];
  for (let client = 0; client < CLIENTS; client++) {
    simulateClient(world, threadIds)
      .then((read) => readings.push(...read))
      .catch((error: unknown) => failures.push(`A client gave up: ${String(error)}`))
      .finally(() => working--);
  }
  await world.time.run(() => working === 0, CHAOS_MS);
  stopChaos();
  const ended = await world.time.run(() => working === 0, QUIET_MS);
  const broken = ended ? await check(world, threadIds, readings) : [`I12: ${working} clients still wait`];
  for (const process of world.processes) process.die();
  return [...failures, ...broken];
}

function createWorld(seed: number, random: Random, storage: Storage): World {
  const time = createVirtualTime(random);
  const some = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const faults: Faults = {
    failedCall: some(0.06),
    slowCall: some(0.03),
    stall: some(0.05),
    leave: some(0.3),
  };
  let ids = 0;
  const newId = (): string => `s${seed}-${String(++ids).padStart(6, '0')}`;
  return { random, time, faults, storage, newId, effects: [], processes: [] };
}

/** Lets processes die or sleep by chance, in turn; the answer ends that, and wakes who sleeps. */
function unleash(world: World): () => void {
  const { random, time, processes } = world;
  const timers = time.timersOf({ state: 'awake' });
  const intensity = random.below(4);
  let over = false;
  const strike = (): void => {
    if (over || intensity === 0) return;
    const index = random.below(processes.length);
    const victim = processes[index];
    if (victim?.state === 'awake' && random.chance(0.5)) {
      victim.die();
      processes[index] = startProcess(world);
    } else if (victim?.state === 'awake') {
      victim.state = 'asleep';
      timers.after(random.below(6 * LEASE_MS), () => {
        if (victim.state === 'asleep') victim.state = 'awake';
      });
    }
    timers.after(random.below(2_400 / intensity), strike);
  };
  timers.after(random.below(500), strike);
  return () => {
    over = true;
    for (const process of processes) if (process.state === 'asleep') process.state = 'awake';
  };
}

async function check(
  world: World,
  threadIds: readonly string[],
  readings: readonly Reading[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  const { room } = createProcess(world);
  for (const threadId of threadIds) {
    const thread = await evidenceOf(world.storage, threadId);
    const own = readings.filter(({ run }) => run.threadId === threadId);
    const effects = world.effects.filter((it) => it.threadId === threadId);
    const readers = await within(world, Promise.all(own.map((reading) => replayOf(world, room, reading))));
    if (readers === undefined) broken.push('I12: a replay does not end');
    broken.push(...brokenInvariants(thread, readers ?? [], effects), ...brokenOrder(own, thread));
  }
  return broken;
}

/** The result, if time need not pass for ever until it is there. */
async function within<T>({ time }: World, work: Promise<T>): Promise<T | undefined> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  await time.run(() => isOver, QUIET_MS);
  return isOver ? over : undefined;
}

/** What a process that was never told anything shows of the run from its first event on. */
async function replayOf(
  world: World,
  room: RunRoom,
  { run, frames: received }: Reading,
): Promise<ReadEvidence> {
  const replayed: NumberedFrame[] = [];
  const repositories = world.storage.as(USER);
  const { signal } = new AbortController();
  for await (const batch of room.runs.frames({
    repositories,
    run,
    modes: MODES,
    after: FROM_THE_START,
    signal,
  }))
    replayed.push(...batch);
  return { runId: run.runId, received, replayed };
}

/** A run that was accepted before another one was asked for begins before it. */
function brokenOrder(readings: readonly Reading[], { events }: ThreadEvidence): readonly string[] {
  const begun = readings.flatMap(({ run: { runId, startAfter }, askedAt, acceptedAt }) => {
    const start = events.find((it) => it.runId === runId && it.eventType === 'run_start');
    return start === undefined || startAfter !== null ? [] : [{ runId, askedAt, acceptedAt, seq: start.seq }];
  });
  return begun.flatMap((early) =>
    begun
      .filter((late) => early.acceptedAt < late.askedAt && early.seq > late.seq)
      .map((late) => `FIFO: run ${late.runId} began before run ${early.runId}`),
  );
}

async function evidenceOf(storage: Storage, threadId: string): Promise<ThreadEvidence> {
  const { threads, runs, runEvents, frames, checkpoints } = storage.as(USER);
  const thread = await threads.get(threadId);
  if (thread === undefined) throw new Error(`There is no thread ${threadId}.`);
  const records = (await runs.list(threadId, { limit: 1_000, offset: 0 })).toReversed();
  const evidence = await Promise.all(
    records.map(async (run): Promise<RunEvidence> => {
      const rows = await frames.read(run.runId, 0, 10_000_000);
      return {
        ...run,
        totalTokens: run.totals.totalTokens,
        llmCallCount: run.totals.llmCallCount,
        rows: rows.map((row) => ({ ...row, events: loggedEvents(row, 0).map(({ event }) => event) })),
      };
    }),
  );
  const { events } = await runEvents.list(threadId, { cursor: { kind: 'after', seq: 0 }, limit: 10_000 });
  const head = thread.headCheckpointId;
  const lineage = head === null ? [] : await checkpoints.lineage(threadId, head);
  const folded = foldDeltas(lineage.map(parsedDelta)).messages;
  return { threadId, status: thread.status, runs: evidence, events, folded };
}
