// Many replies at once: each is read in larger pieces, and none waits for longer than it must.
import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../src/models/calls/byte-source.ts';
import { type PacedReply, ReadPace } from '../../src/models/calls/read-pace.ts';
import { pause, REAL_TIMERS, type Timers } from '../../src/timers.ts';
import { createRandom } from '../simulation/random.ts';
import { createVirtualTime } from '../simulation/virtual-time.ts';
import { outcomeOf, testModel } from './call.ts';

/** So many that pauses have their greatest length. */
const MANY = 1_000;
const EVERY_MS = 40;
const SMALL = 100;
const LARGE = 4_096;

function virtualTime() {
  const time = createVirtualTime(createRandom(1), 0);
  const timers = time.timersOf({ state: 'awake' });
  /** Everything is done that these milliseconds allow. */
  const pass = async (ms: number) => {
    timers.after(ms, () => undefined);
    await time.run(() => false, ms);
  };
  return { timers, pass };
}

/** A reply whose pieces, of these sizes, come at intervals. Notes when it is read, and when it is held. */
function reply(timers: Timers, ...sizes: readonly number[]) {
  const reads: number[] = [];
  const holds: number[] = [];
  const begunAt = timers.elapsed();
  let taken = 0;
  const bytes: ByteSource = {
    async read() {
      reads.push(timers.elapsed());
      const wait = begunAt + taken * EVERY_MS - timers.elapsed();
      if (wait > 0) await pause(timers, wait);
      const arrived = Math.floor((timers.elapsed() - begunAt) / EVERY_MS) + 1;
      const sum = sizes.slice(taken, arrived).reduce((all, size) => all + size, 0);
      taken = arrived;
      return sum === 0 ? undefined : new Uint8Array(sum);
    },
    hold: () => void holds.push(timers.elapsed()),
    cancel: async () => undefined,
  };
  return { bytes, reads, holds };
}

const EMPTY: ByteSource = {
  read: async () => undefined,
  hold: () => undefined,
  cancel: async () => undefined,
};
const BROKEN: ByteSource = { ...EMPTY, read: () => Promise.reject(new Error('terminated')) };

/** Begins so many replies that are never read. */
function beginMany(pace: ReadPace) {
  return Array.from({ length: MANY }, () => pace.begin(EMPTY));
}

/** A pace in a process with time to spare. */
function calmPace(timers: Timers) {
  return new ReadPace({ timers, load: () => 0.5 });
}

async function readAll(paced: PacedReply) {
  while ((await paced.read()) !== undefined);
}

/** Whether a reply that begins now is held after small pieces. */
async function isHeld(pace: ReadPace, { timers, pass }: ReturnType<typeof virtualTime>): Promise<boolean> {
  const { bytes, holds } = reply(timers, ...Array(10).fill(SMALL));
  await Promise.all([readAll(pace.begin(bytes)), pass(2_000)]);
  return holds.length > 0;
}

describe('the pace of reading', () => {
  it('[models.read-pace] many replies are held between reads, none for longer than it has been arriving', async () => {
    const time = virtualTime();
    const pace = calmPace(time.timers);
    beginMany(pace);
    const early = reply(time.timers, ...Array(12).fill(SMALL));
    const earlyEnd = readAll(pace.begin(early.bytes));
    await time.pass(170);
    // It begins while the other one waits, and its first waits are shorter.
    const late = reply(time.timers, ...Array(4).fill(SMALL));
    const lateEnd = readAll(pace.begin(late.bytes));
    await time.pass(1_000);
    await Promise.all([earlyEnd, lateEnd]);
    expect(early.reads).toEqual([0, 0, 80, 160, 260, 360, 460, 560]);
    expect(early.holds).toEqual([40, 80, 160, 260, 360, 460]);
    expect(late.reads.map((at) => at - 170)).toEqual([0, 0, 80, 160, 260]);
  });

  it('[models.read-pace.load] replies are held longer while the process has no time to spare', async () => {
    const time = virtualTime();
    let load = 0.5;
    const pace = new ReadPace({ timers: time.timers, load: () => load });
    beginMany(pace);
    const long = reply(time.timers, ...Array(1_000).fill(SMALL));
    const end = readAll(pace.begin(long.bytes));
    const lastPause = async () => {
      await time.pass(5_000);
      return Math.round((long.reads.at(-1) ?? 0) - (long.reads.at(-2) ?? 0));
    };
    expect(await lastPause()).toBe(100);
    load = 1;
    expect(await lastPause()).toBe(200);
    load = 0.95;
    expect(await lastPause()).toBe(200);
    load = 0.5;
    expect(await lastPause()).toBe(100);
    await Promise.all([end, time.pass(40_000)]);
  });

  it('[models.read-pace] the only reply is not held, nor one that arrives in large pieces', async () => {
    const time = virtualTime();
    const alone = reply(time.timers, ...Array(10).fill(SMALL));
    const only = readAll(calmPace(time.timers).begin(alone.bytes));
    const pace = calmPace(time.timers);
    beginMany(pace);
    const large = reply(time.timers, ...Array(10).fill(LARGE));
    const whole = readAll(pace.begin(large.bytes));
    await time.pass(1_000);
    await Promise.all([only, whole]);
    expect([alone.holds, large.holds]).toEqual([[], []]);
  });

  it('[models.read-pace] what follows the last part of a reply is not held', async () => {
    const time = virtualTime();
    const pace = calmPace(time.timers);
    beginMany(pace);
    const { bytes, holds } = reply(time.timers, ...Array(3).fill(SMALL));
    const paced = pace.begin(bytes);
    await paced.read();
    await Promise.all([paced.read(), time.pass(EVERY_MS)]);
    paced.finish();
    await Promise.all([paced.read(), time.pass(EVERY_MS)]);
    expect(holds).toEqual([]);
  });

  it.each([
    ['ends', EMPTY, (reply: PacedReply) => reply.read()],
    ['breaks', BROKEN, (reply: PacedReply) => reply.read().catch(() => undefined)],
    ['is cancelled', EMPTY, (reply: PacedReply) => reply.cancel(undefined)],
    ['is finished', EMPTY, async (reply: PacedReply) => reply.finish()],
  ] as const)('[models.read-pace] counts a reply until it %s, and only once', async (_how, bytes, end) => {
    const time = virtualTime();
    const pace = calmPace(time.timers);
    const replies = Array.from({ length: MANY }, () => pace.begin(bytes));
    const [first] = replies;
    for (let times = 0; times < MANY; times++) if (first !== undefined) await end(first);
    expect(await isHeld(pace, time)).toBe(true);
    for (const reply of replies) await end(reply);
    expect(await isHeld(pace, time)).toBe(false);
  });

  it.each(['openai-compatible', 'anthropic', 'google'] as const)(
    '[models.read-pace] a reply of %s waits after a small piece while many are read',
    async (provider) => {
      const abort = new AbortController();
      const server = beginningServer();
      const model = testModel({ provider, base_url: 'http://model' }, { fetch: server.fetch });
      const call = () => outcomeOf(model, { signal: abort.signal });
      const calls = Array.from({ length: CALLS }, call);
      await server.silent(CALLS);
      calls.push(call());
      await server.silent(CALLS + 1);
      // Without a wait, a reply alone in an idle process is read again within a millisecond.
      expect(server.waits.at(-1)).toBeGreaterThan(8);
      abort.abort();
      await Promise.all(calls);
    },
  );
});

/** So many wait for 12 ms. */
const CALLS = 100;
const BEGINNING_MS = 20;

/** Answers each request with two small pieces, and then nothing. Notes how long each reader waits after the second. */
function beginningServer() {
  const waits: number[] = [];
  let progress = Promise.withResolvers<void>();
  return {
    waits,
    fetch: async () => {
      let pieces = 0;
      let sentAt = 0;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if (pieces === 1) await pause(REAL_TIMERS, BEGINNING_MS);
        if (pieces < 2) {
          pieces++;
          sentAt = performance.now();
          return controller.enqueue(Buffer.from(': nothing yet\n\n'));
        }
        waits.push(performance.now() - sentAt);
        progress.resolve();
        progress = Promise.withResolvers();
        return new Promise<void>(() => undefined);
      };
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    /** Resolves when so many replies are read again after their second piece. */
    silent: async (replies: number) => {
      while (waits.length < replies) await progress.promise;
    },
  };
}
