// A client of the simulation: asks, reads, leaves, comes back, cancels, and never believes that anything is lost.
import { ServiceError } from '../../src/errors.ts';
import { framePosition } from '../../src/runs/reading/frame-position.ts';
import type { NumberedFrame } from '../../src/runs/reading/run-frames.ts';
import { runBodySchema, toRunRequest } from '../../src/runs/request/run-body.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { pause, type Timers } from '../../src/timers.ts';
import { DELEGATE, USE_TOOLS } from './simulated-model.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

export interface Reading {
  readonly run: RunRecord;
  /** Those of all connections, gaps included. */
  readonly frames: NumberedFrame[];
  /** When the client asked, and when it knew that it was heard. */
  readonly askedAt: number;
  readonly acceptedAt: number;
  /** When it was told that there is no such run. */
  goneAt: number | undefined;
}

const QUESTIONS_PER_CLIENT = 2;
const QUESTIONS = [`${USE_TOOLS} tools`, 'a question', DELEGATE];
const STRATEGIES = ['enqueue', 'enqueue', 'reject', 'interrupt', 'rollback'];

class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Asks its questions one after another; what it read of each run that was accepted. */
export async function simulateClient(
  world: World,
  threadIds: readonly string[],
): Promise<readonly Reading[]> {
  const { random, time } = world;
  const timers = time.timersOf({ state: 'awake' });
  const readings: Reading[] = [];
  for (let asked = 0; asked < QUESTIONS_PER_CLIENT; asked++) {
    await pause(timers, random.below(400));
    const askedAt = time.now();
    const run = await ask({ world, timers }, random.pick(threadIds));
    const acceptedAt = time.now();
    if (run === undefined) continue;
    const cancelling = random.chance(0.25) ? cancelLater({ world, timers }, run) : undefined;
    const reading: Reading = { run, askedAt, acceptedAt, frames: [], goneAt: undefined };
    readings.push(reading);
    await read({ world, timers }, reading);
    await cancelling;
  }
  await world.calm;
  for (const reading of readings) await lookAgain({ world, timers }, reading);
  return readings;
}

interface Place {
  readonly world: World;
  readonly timers: Timers;
}

/** `undefined`: the thread was busy. */
function ask(place: Place, threadId: string): Promise<RunRecord | undefined> {
  const { random, newId } = place.world;
  const body = runBodySchema.parse({
    input: {
      messages: [{ role: 'user', content: random.pick(QUESTIONS) }],
    },
    multitask_strategy: random.pick(STRATEGIES),
    stream_subgraphs: random.chance(0.5),
    ...(random.chance(0.1) ? { after_seconds: 0.5 } : {}),
  });
  // The same request, however often it must be sent.
  const defaults = { recursionLimit: 25, multitaskStrategy: 'enqueue', idempotencyKey: newId() } as const;
  const request = toRunRequest(body, defaults, newId);
  return persist(place, async ({ runs, repositories }) => {
    try {
      return await runs.service.start(repositories, threadId, request);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') return undefined;
      throw error;
    }
  });
}

async function cancelLater(place: Place, run: RunRecord): Promise<void> {
  const { random } = place.world;
  await pause(place.timers, random.below(600));
  const action = random.pick(['interrupt', 'rollback'] as const);
  await persist(place, ({ runs, repositories }) => runs.service.cancel(repositories, run, { action }));
}

/** Sends it to one process after another until one answers. */
async function persist<T>(
  { world, timers }: Place,
  send: (process: SimulatedProcess) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      const process = world.random.pick(world.processes);
      return await reached(process, () => send(process));
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await pause(timers, 50);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ServiceError && error.code === 'unavailable');
}

/** What the process answers; a dead one answers nothing, one that sleeps answers when it wakes. */
async function reached<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
  const died = process.death.then(() => Promise.reject(new Unreachable('The connection broke.')));
  return Promise.race([died, answered(process, work)]);
}

/** It takes its time to get there and back. */
async function answered<T>({ timers }: SimulatedProcess, work: () => Promise<T>): Promise<T> {
  await pause(timers, 1);
  try {
    return await work();
  } finally {
    await pause(timers, 1);
  }
}

async function read(place: Place, reading: Reading): Promise<void> {
  while (reading.frames.at(-1)?.event !== 'end' && reading.goneAt === undefined)
    await comeBack(place, reading);
}

/** Who has seen the end of a run cannot know whether the database still has it after a loss. */
async function lookAgain(place: Place, reading: Reading): Promise<void> {
  if (place.world.losses.length === 0) return;
  while (!(await comeBack(place, reading)));
  await read(place, reading);
}

/** A connection, and the pause after it; whether it was one. */
async function comeBack(place: Place, reading: Reading): Promise<boolean> {
  const { random } = place.world;
  try {
    await connect(place, reading);
    await pause(place.timers, random.below(40));
    return true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    await pause(place.timers, random.below(400));
    return false;
  }
}

/** What arrives until the end, until the client leaves or until the process is gone. */
async function connect({ world }: Place, reading: Reading): Promise<void> {
  const { random, faults } = world;
  const process = random.pick(world.processes);
  const { repositories, runs } = process;
  const left = new AbortController();
  const after = framePosition(reading.frames.at(-1)?.id);
  // As a request does: what it was when it was accepted says little by now.
  const run = await reached(process, () => repositories.runs.get(reading.run.runId));
  if (run === undefined) {
    reading.goneAt = world.time.now();
    return;
  }
  const frames = runs.service.frames({ repositories, run, modes: MODES, after, signal: left.signal });
  try {
    for (;;) {
      const batch = await reached(process, () => frames.next());
      if (batch.done === true) return;
      for (const frame of batch.value) {
        reading.frames.push(frame);
        if (random.chance(faults.leave)) return;
      }
    }
  } finally {
    left.abort();
  }
}

export const MODES = ['values', 'messages-tuple', 'updates', 'custom'] as const;
