// What happens to the database of a simulation: it goes away, or comes back without the last things that were committed.
import type { Random } from './random.ts';
import { LEASE_MS, startProcess } from './simulated-process.ts';
import type { Loss, World } from './world.ts';

const LONGEST_OUTAGE_S = 60;
/** How far back the database goes, and how long it takes until it answers again. */
const MOST_LOST_MS = 1_500;
const LONGEST_CHANGE_MS = 2 * LEASE_MS;
const HALF_CLOCK_STEP_MS = 1_000;

/** In some worlds the database goes away once, in others it loses something; resolves when that is over. */
export async function troubleDatabase(world: World, withinMs: number): Promise<void> {
  const kind = world.random.next();
  const at = world.random.below(withinMs);
  if (kind < 0.15) await goAway(world, at);
  else if (kind < 0.3) await failOver(world, at);
  else if (kind < 0.4) await restore(world, at);
}

/** For a second to a minute. */
async function goAway(world: World, at: number): Promise<void> {
  await passed(world, at);
  world.isDatabaseAway = true;
  await passed(world, 1_000 * LONGEST_OUTAGE_S ** world.random.next());
  world.isDatabaseAway = false;
}

/** A replica that was behind takes over, while all processes go on. */
async function failOver(world: World, at: number): Promise<void> {
  await loseCommits(world, at);
  await passed(world, world.random.below(LONGEST_CHANGE_MS));
  world.isDatabaseAway = false;
}

/** All processes end, the database of a while ago is put back, and others are started. */
async function restore(world: World, at: number): Promise<void> {
  await loseCommits(world, at);
  for (const process of world.processes) process.die();
  await passed(world, world.random.below(LONGEST_CHANGE_MS));
  world.isDatabaseAway = false;
  for (const index of world.processes.keys()) world.processes[index] = startProcess(world);
}

/** The database is away, and will be what it was a while before. */
async function loseCommits(world: World, at: number): Promise<void> {
  await passed(world, at);
  const image = await world.database.copy();
  const copiedAt = world.time.now();
  await passed(world, world.random.below(MOST_LOST_MS));
  world.isDatabaseAway = true;
  world.losses.push({ copiedAt, lostAt: world.time.now() } satisfies Loss);
  await world.database.putBack(image);
  world.databaseClock.stepBy(step(world.random));
}

/** The clock of the server that has the database now is not that of the other one. */
function step(random: Random): number {
  return Math.round((random.next() * 2 - 1) * HALF_CLOCK_STEP_MS);
}

function passed({ time }: World, ms: number): Promise<void> {
  return new Promise((resolve) => time.timersOf({ state: 'awake' }).after(ms, resolve));
}
