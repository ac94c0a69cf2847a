// One simulation: processes that die, sleep and come back, clients that come and go, and one database.
import { brokenPromises } from './broken-promises.ts';
import { troubleDatabase } from './database-faults.ts';
import { createRandom } from './random.ts';
import { type Reading, simulateClient } from './simulated-client.ts';
import { openSimulatedDatabase } from './simulated-database.ts';
import { LEASE_MS, startProcess, USER } from './simulated-process.ts';
import { createVirtualTime } from './virtual-time.ts';
import type { DatabaseClock, Faults, World } from './world.ts';

const PROCESSES = 2;
const CLIENTS = 3;
const THREADS = 2;
const CHAOS_MS = 4_000;
const QUIET_MS = 120_000;

const START = Date.UTC(2026, 10, 20);

/** What does not hold afterwards; empty when everything does. */
export async function simulate(seed: number): Promise<readonly string[]> {
  const world = await createWorld(seed);
  const threadIds = Array.from({ length: THREADS }, () => world.newId());
  for (const threadId of threadIds) {
    const thread = { threadId, metadata: {}, assistantId: null, now: world.time.now() };
    await world.database.storage.as(USER).threads.create(thread);
  }
  for (let count = 0; count < PROCESSES; count++) world.processes.push(startProcess(world));
  const { intensity, stop: stopChaos } = unleash(world);
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
  const isUndisturbed = intensity === 0 && world.losses.length === 0;
  const broken = ended
    ? await brokenPromises(world, { threadIds, readings, isUndisturbed })
    : [`I12: ${working} clients still wait`];
  for (const process of world.processes) process.die();
  await world.database.close();
  return [...failures, ...broken];
}

async function createWorld(seed: number): Promise<World> {
  const random = createRandom(seed);
  const time = createVirtualTime(random, START);
  const some = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const faults: Faults = {
    failedCall: some(0.06),
    lostAnswer: some(0.06),
    slowCall: some(0.03),
    stall: some(0.05),
    leave: some(0.3),
  };
  let ids = 0;
  const deafness = some(0.3);
  const databaseClock = createDatabaseClock(time.now);
  const calm = Promise.withResolvers<void>();
  const world: World = {
    random,
    time,
    faults,
    deafness,
    hearers: new Set(),
    database: await openSimulatedDatabase(databaseClock.now),
    databaseClock,
    hasWrongClocks: random.chance(0.5),
    isDatabaseAway: false,
    losses: [],
    calm: calm.promise,
    newId: () => `s${seed}-${String(++ids).padStart(6, '0')}`,
    effects: [],
    processes: [],
  };
  troubleDatabase(world, CHAOS_MS / 2).then(calm.resolve, calm.reject);
  return world;
}

function createDatabaseClock(now: () => number): DatabaseClock {
  let stepped = 0;
  return {
    now: () => now() + stepped,
    stepBy: (ms) => {
      stepped += ms;
    },
  };
}

/** Lets processes die or sleep by chance, in turn; the answer ends that, and wakes who sleeps. */
function unleash(world: World): { readonly intensity: number; readonly stop: () => void } {
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
  const stop = (): void => {
    over = true;
    for (const process of processes) if (process.state === 'asleep') process.state = 'awake';
  };
  return { intensity, stop };
}
