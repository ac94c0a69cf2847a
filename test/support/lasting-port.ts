// Ports for programs that stop and come back on the same one.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the system's ephemeral ports, so that no program which asks for any port takes one of these. */
const FIRST = 12_000;
const COUNT = 20_000;
/** Workers of one test run never share any. */
const WORKERS = 8;

const share = COUNT / WORKERS;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
let next = process.pid % share;

/** Returns an unused port of 127.0.0.1 that no other caller gets soon. */
export async function lastingPort(): Promise<number> {
  for (let tries = 0; tries < share; tries++) {
    next = (next + 1) % share;
    const port = FIRST + worker * share + next;
    if (await isFree(port)) return port;
  }
  throw new Error('There is no free port.');
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  const listens = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => probe.close(resolve));
  return listens;
}
