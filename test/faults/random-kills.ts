// `npm run test:faults -- --seeds 100 [--from 1] [--only mid-stream]`: conversations with a service that is
// killed at random points and moments, and kills during many streamed replies. Prints each seed that breaks
// something; `--from <seed> --seeds 1` runs it again.
import { parseArgs } from 'node:util';
import { createRandom, type Random } from '../simulation/random.ts';
import { converse } from './conversation.ts';
import type { CrashingProcess } from './crashing-process.ts';
import type { CrashOrder } from './crashing-service.ts';
import { killedInMidStream } from './mid-stream-kills.ts';
import { openProcessPool } from './process-pool.ts';
import type { StubbornClient } from './stubborn-client.ts';

/** How often the conversation passes each point. */
const POINTS: readonly (readonly [name: string, times: number])[] = [
  ...beforeAndAfter('commit', 13),
  ...beforeAndAfter('admit', 2),
  ...beforeAndAfter('claim', 4),
  ...beforeAndAfter('thread.create', 1),
  ...['look', 'put', 'send'].flatMap((name) => beforeAndAfter(`tool.${name}`, 1)),
  ...['model.before', 'model.token', 'model.after'].map((name) => [name, 3] as const),
];
/** The points that a service passes while it recovers. */
const RETURN_POINTS: typeof POINTS = [
  ...beforeAndAfter('fenceOthers', 1),
  ...beforeAndAfter('claim', 1),
  ...beforeAndAfter('commit', 3),
  ['model.token', 1],
];
const SERVICES = 3;
/** The share of seeds that kill during many replies. */
const MID_STREAM = 0.2;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const first = Number(values.from);
const count = Number(values.seeds);
const pool = await openProcessPool(SERVICES);
let deaths = 0;
let failed = 0;
let offsets = 0;
let next = first;

await Promise.all(
  Array.from({ length: Math.min(SERVICES, count) }, async () => {
    while (next < first + count) await runSeed(next++);
  }),
);
await pool.close();
console.log(
  `${count} seeds from ${first}: killed ${deaths} times, ${offsets} times in mid-answer, ${failed} seeds broke something`,
);
process.exitCode = failed === 0 ? 0 : 1;

function beforeAndAfter(name: string, times: number) {
  return [`${name}.before`, `${name}.after`].map((point) => [point, times] as const);
}

function runSeed(seed: number): Promise<void> {
  return pool.use(async ({ process: service, client }) => {
    const random = createRandom(seed);
    await service.up();
    const before = service.deaths();
    const isMidStream = random.chance(MID_STREAM) || values.only === 'mid-stream';
    const { what, broken } = await (isMidStream ? midStream : conversation)({ service, client, random });
    deaths += service.deaths() - before;
    if (broken.length === 0) return;
    failed++;
    console.log(`seed ${seed} (${what}):\n  ${broken.join('\n  ')}`);
  });
}

interface Seeded {
  readonly service: CrashingProcess;
  readonly client: StubbornClient;
  readonly random: Random;
}

interface SeedOutcome {
  readonly what: string;
  readonly broken: readonly string[];
}

async function conversation({ service, client, random }: Seeded): Promise<SeedOutcome> {
  const plan = unleash(service, random);
  const { broken } = await converse(service, client);
  await plan.over;
  await service.up();
  service.armNextStarts([]);
  return { what: plan.what, broken };
}

async function midStream({ service, client, random }: Seeded): Promise<SeedOutcome> {
  const killed = await killedInMidStream(service, client, random);
  offsets += killed.offsets.length;
  return { what: 'in mid-stream', broken: killed.broken };
}

/** Kills at a point or at a moment, and perhaps again while the service recovers. */
function unleash(
  service: CrashingProcess,
  random: Random,
): { readonly what: string; readonly over: Promise<void> } {
  const later = random.chance(0.4) ? [orderOf(random, RETURN_POINTS)] : [];
  service.armNextStarts(later);
  if (random.chance(0.7)) {
    const order = orderOf(random, POINTS);
    service.arm(order);
    return { what: JSON.stringify([order, ...later]), over: Promise.resolve() };
  }
  service.arm({ point: 'none', occurrence: 1 });
  const delay = random.below(300);
  const over = new Promise<void>((resolve) => setTimeout(resolve, delay)).then(() =>
    service.signal('SIGKILL'),
  );
  return { what: `after ${delay} ms, then ${JSON.stringify(later)}`, over };
}

function orderOf(random: Random, points: typeof POINTS): CrashOrder {
  const [point, times] = random.pick(points);
  const order = { point, occurrence: 1 + random.below(times) };
  return random.chance(0.3) ? { ...order, holdMs: random.below(40) } : order;
}
