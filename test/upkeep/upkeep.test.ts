// The background work of the service, with time that the test owns.
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createUpkeep, type Job } from '../../src/upkeep/upkeep.ts';
import { createRandom } from '../simulation/random.ts';
import { createVirtualTime } from '../simulation/virtual-time.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { openTestService } from '../support/service.ts';

const EVERY_MS = 1_000;

/** The upkeep of a process, with what it has logged; `until` lets time pass. */
function open() {
  const time = createVirtualTime(createRandom(1), 0);
  const timers = time.timersOf({ state: 'awake' });
  const begun = time.now();
  const logged: unknown[] = [];
  const upkeep = createUpkeep({ log: { warn: (fields) => void logged.push(fields) }, timers });
  return {
    upkeep,
    timers,
    logged,
    elapsed: () => time.now() - begun,
    /** Resolves when `done`, or when so much time has passed; whether it was done. */
    until: (done: () => boolean, limitMs = 60_000) => time.run(done, limitMs),
  };
}

function jobOf(look: Job['pass'], name = 'sweep'): Job {
  return { name, everyMs: EVERY_MS, pass: look };
}

describe('a job', () => {
  it('[upkeep.looks] looks at the start, and again after its time, counted from the end of a look', async () => {
    const { upkeep, timers, elapsed, until } = open();
    const looks: { at: number; isFirst: boolean }[] = [];
    upkeep.add(
      jobOf(async ({ isFirst }) => {
        looks.push({ at: elapsed(), isFirst });
        await new Promise<void>((resolve) => timers.after(300, resolve));
        return undefined;
      }),
    );
    expect(await until(() => looks.length > 0, 10_000), 'before the start').toBe(false);
    upkeep.start();
    await until(() => looks.length === 3);
    const [first] = looks;
    expect(looks.map(({ at }) => at - (first?.at ?? 0))).toEqual([0, 1_300, 2_600]);
    expect(looks.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
  });

  it('[upkeep.more] leaves half of the time to others when it has more to do', async () => {
    const { upkeep, timers, elapsed, until } = open();
    const looks: number[] = [];
    upkeep.add(
      jobOf(async () => {
        looks.push(elapsed());
        await new Promise<void>((resolve) => timers.after(40, resolve));
        return looks.length < 3;
      }),
    );
    upkeep.start();
    await until(() => looks.length === 4);
    expect(looks).toEqual([0, 80, 160, 160 + 40 + EVERY_MS]);
  });

  it('[upkeep.due] looks when something is due that it knows of, and no later than without', async () => {
    const { upkeep, elapsed, until } = open();
    const looks: number[] = [];
    const dues = [300, 5 * EVERY_MS];
    const job = upkeep.add(
      jobOf(async () => {
        looks.push(elapsed());
        return dues.shift();
      }),
    );
    upkeep.start();
    await until(() => looks.length === 3);
    expect(looks).toEqual([0, 300, 300 + EVERY_MS]);
    job.wakeWithin(500);
    job.wakeWithin(200);
    job.wakeWithin(400);
    await until(() => looks.length === 5);
    expect(looks.slice(3)).toEqual([500 + EVERY_MS, 500 + 2 * EVERY_MS]);
  });

  it('[upkeep.wake] [upkeep.once] woken during a pass, makes one more pass afterwards, however often it was woken', async () => {
    const { upkeep, until } = open();
    const gates: PromiseWithResolvers<void>[] = [];
    let atOnce = 0;
    const job = upkeep.add(
      jobOf(async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        atOnce -= 1;
        return undefined;
      }),
    );
    upkeep.start();
    await until(() => gates.length === 1);
    let woken = 0;
    for (let n = 0; n < 3; n++) void job.wake().then(() => (woken += 1));
    gates[0]?.resolve();
    await until(() => gates.length === 2);
    expect(woken, 'before the look that they asked for').toBe(0);
    gates[1]?.resolve();
    await until(() => woken === 3);
    expect(gates).toHaveLength(2);
    const next = until(() => gates.length === 3, 60_000);
    expect(await next, 'in its own time').toBe(true);
  });

  it('[upkeep.failure] that fails is logged with its name; it and the others continue', async () => {
    const { upkeep, logged, until } = open();
    let failures = 0;
    let others = 0;
    upkeep.add(
      jobOf(async () => {
        failures += 1;
        throw new Error('the disk is full');
      }, 'old streams'),
    );
    upkeep.add(
      jobOf(async () => {
        others += 1;
        return undefined;
      }),
    );
    upkeep.start();
    await until(() => failures === 2 && others >= 2);
    expect(logged).toMatchObject([
      { job: 'old streams', err: { message: 'the disk is full' } },
      { job: 'old streams', err: { message: 'the disk is full' } },
    ]);
  });
});

describe('a stop', () => {
  it('[upkeep.stop] waits for the look under way, begins none, and lets each job do its last thing once', async () => {
    const { upkeep, until } = open();
    const told: string[] = [];
    const gate = Promise.withResolvers<void>();
    const job = upkeep.add({
      ...jobOf(async ({ signal }) => {
        told.push('look');
        await gate.promise;
        told.push(signal.aborted ? 'left the rest' : 'did it all');
        return true;
      }),
      last: async () => told.push('last'),
    });
    upkeep.add({ ...jobOf(async () => undefined), last: () => Promise.reject(new Error('last')) });
    upkeep.start();
    await until(() => told.length > 0);
    void job.wake();
    let isStopped = false;
    const stopped = Promise.all([upkeep.stop(), upkeep.stop()]).then(() => {
      isStopped = true;
    });
    expect(await until(() => isStopped, 10_000), 'while it looks').toBe(false);
    gate.resolve();
    await stopped;
    await job.wake();
    expect(await until(() => told.length > 3, 10_000)).toBe(false);
    expect(told).toEqual(['look', 'left the rest', 'last']);
  });
});

describe('the service', () => {
  it('[upkeep.service] stops after its background work, and closes the database afterwards', async () => {
    const told: string[] = [];
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const real = await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG });
    const storage: Storage = {
      ...real,
      expiredStoreItems: {
        async remove() {
          begun.resolve();
          await gate.promise;
          told.push('removed');
          return 0;
        },
      },
      async close() {
        told.push('closed');
        await real.close();
      },
    };
    const test = await openTestService({ overrides: { storage } });
    await begun.promise;
    const stopped = test.close();
    await expect.poll(async () => (await test.client().get('/health/ready')).status).toBe(503);
    expect(told).toEqual([]);
    gate.resolve();
    await stopped;
    expect(told).toEqual(['removed', 'closed']);
    expect(test.complaints).toEqual([]);
  });
});
