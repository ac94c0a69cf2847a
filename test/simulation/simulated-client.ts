// A client of the simulation: asks, reads, leaves, comes back, cancels, and never believes that anything is lost.
import { ServiceError } from '../../src/errors.ts';
import { framePosition, type NumberedFrame } from '../../src/runs/run-frames.ts';
import { runBodySchema, toRunRequest } from '../../src/runs/run-request.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { pause, type Timers } from '../../src/timers.ts';
import { DELEGATE, USE_TOOLS } from './simulated-model.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

export interface Reading {
  readonly run: RunRecord;
  readonly frames: readonly NumberedFrame[];
  /** When the client asked, and when it knew that it was heard. */
  readonly askedAt: number;
  readonly acceptedAt: number;
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
    readings.push({ run, askedAt, acceptedAt, frames: await read({ world, timers }, run) });
    await cancelling;
  }
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
  return persist(place, async ({ room, repositories }) => {
    try {
      return await room.runs.start(repositories, threadId, request);
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
  await persist(place, ({ room, repositories }) => room.runs.cancel(repositories, run, { action }));
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

async function read(place: Place, run: RunRecord): Promise<readonly NumberedFrame[]> {
  const frames: NumberedFrame[] = [];
  while (frames.at(-1)?.event !== 'end') {
    try {
      await connect(place, run, frames);
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await pause(place.timers, place.world.random.below(40));
  }
  return frames;
}

/** One connection: what arrives until the end, until the client leaves or until the process is gone. */
async function connect({ world }: Place, run: RunRecord, frames: NumberedFrame[]): Promise<void> {
  const { random, faults } = world;
  const process = random.pick(world.processes);
  const { repositories, room } = process;
  const left = new AbortController();
  const after = framePosition(frames.at(-1)?.id);
  const reading = room.runs.frames({ repositories, run, modes: MODES, after, signal: left.signal });
  try {
    for (;;) {
      const batch = await reached(process, () => reading.next());
      if (batch.done === true) return;
      for (const frame of batch.value) {
        frames.push(frame);
        if (random.chance(faults.leave)) return;
      }
    }
  } finally {
    left.abort();
  }
}

export const MODES = ['values', 'messages-tuple', 'updates', 'custom'] as const;
