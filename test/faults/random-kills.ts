// `npm run test:faults -- --seeds 100 [--from 1]`: conversations with a service that is killed at points and moments
// of chance. A seed that breaks something is printed; `--from <seed> --seeds 1` runs it again.
import { parseArgs } from 'node:util';
import { createRandom, type Random } from '../simulation/random.ts';
import { converse } from './conversation.ts';
import type { CrashingProcess } from './crashing-process.ts';
import type { CrashOrder } from './crashing-service.ts';
import { openProcessPool } from './process-pool.ts';

/** How often the conversation passes each point. */
const POINTS: readonly (readonly [name: string, times: number])[] = [
  ...beforeAndAfter('commit', 13),
  ...beforeAndAfter('admit', 2),
  ...beforeAndAfter('claim', 4),
  ...beforeAndAfter('thread.create', 1),
  ...['look', 'put', 'send'].flatMap((name) => beforeAndAfter(`tool.${name}`, 1)),
  ...['model.before', 'model.token', 'model.after'].map((name) => [name, 3] as const),
];
/** What a service passes while it comes back. */
const RETURN_POINTS: typeof POINTS = [
  ...beforeAndAfter('expireOthers', 1),
  ...beforeAndAfter('claim', 1),
  ...beforeAndAfter('commit', 3),
  ['model.token', 1],
];
const SERVICES = 3;

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '50' }, from: { type: 'string', default: '1' } },
});
const first = Number(values.from);
const count = Number(values.seeds);
const pool = await openProcessPool(SERVICES);
let deaths = 0;
let failed = 0;
let next = first;

await Promise.all(
  Array.from({ length: Math.min(SERVICES, count) }, async () => {
    while (next < first + count) await runSeed(next++);
  }),
);
await pool.close();
console.log(`${count} seeds from ${first}: killed ${deaths} times, ${failed} seeds broke something`);
process.exitCode = failed === 0 ? 0 : 1;

function beforeAndAfter(name: string, times: number) {
  return [`${name}.before`, `${name}.after`].map((point) => [point, times] as const);
}

function runSeed(seed: number): Promise<void> {
  return pool.use(async ({ process: service, client }) => {
    const random = createRandom(seed);
    await service.up();
    const plan = unleash(service, random);
    const survived = await converse(service, client);
    await plan.over;
    await service.up();
    service.armNextStarts([]);
    deaths += survived.deaths;
    if (survived.broken.length === 0) return;
    failed++;
    console.log(`seed ${seed} (${plan.what}):\n  ${survived.broken.join('\n  ')}`);
  });
}

/** A kill at a point or at a moment, perhaps another one while the service comes back. */
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
