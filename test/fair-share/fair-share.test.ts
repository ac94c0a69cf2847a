// Places that owners share: whatever they ask for, give up and give back, in whatever order.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createFairShare,
  type FairShare,
  type FairShareLimits,
  type Turn,
} from '../../src/fair-share/fair-share.ts';

const LIMITS: FairShareLimits = { total: 3, perOwner: 2, waitingPerOwner: 4, longestWaitMs: 1_000 };
const never = new AbortController().signal;

/** A clock that stands still until it is told to go on. */
function handClock() {
  let now = 0;
  const timers = new Map<() => void, number>();
  return {
    timers,
    elapsed: () => now,
    after(ms: number, work: () => void) {
      timers.set(work, now + ms);
      return () => void timers.delete(work);
    },
    advance(ms: number) {
      now += ms;
      for (const [work, due] of [...timers]) if (due <= now && timers.delete(work)) work();
    },
  };
}

/** Everything that promises have to say by now is said. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Asked {
  readonly owner: string;
  readonly abort: AbortController;
  turn: Turn | undefined;
}

type Act =
  | { readonly kind: 'take'; readonly owner: string }
  | { readonly kind: 'abort'; readonly at: number }
  | { readonly kind: 'release'; readonly at: number }
  | { readonly kind: 'advance'; readonly ms: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('take' as const), owner: fc.constantFrom('a', 'b', 'c', 'd') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), at: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), at: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(600) }) },
);

/** A pool that is watched: who holds a place, who waits, and whether what was promised holds at every moment. */
class WatchedPool {
  readonly clock = handClock();
  readonly waiting: Asked[] = [];
  readonly holding: Asked[] = [];
  readonly pool: FairShare;
  readonly #limits: FairShareLimits;
  readonly #failures: unknown[] = [];
  /** Of each owner that waits and has room: who got places since it does. */
  readonly #passedBy = new Map<string, string[]>();

  constructor(limits: FairShareLimits) {
    this.#limits = limits;
    this.pool = createFairShare(limits, this.clock);
  }

  async do(next: Act): Promise<void> {
    if (next.kind === 'take') this.#take(next.owner);
    else if (next.kind === 'release') this.#release(next.at);
    else if (next.kind === 'abort') this.waiting[next.at % Math.max(this.waiting.length, 1)]?.abort.abort();
    else this.clock.advance(next.ms);
    await settled();
    if (this.#failures.length > 0) throw this.#failures[0];
    if (this.holding.length < this.#limits.total) expect(this.#ready()).toEqual([]);
  }

  #take(owner: string): void {
    const asked: Asked = { owner, abort: new AbortController(), turn: undefined };
    this.waiting.push(asked);
    const told = this.pool.take(owner, asked.abort.signal).then((turn) => this.#ended(asked, turn));
    told.catch((error: unknown) => this.#failures.push(error));
  }

  #release(at: number): void {
    const [asked] = this.holding.splice(at % Math.max(this.holding.length, 1), 1);
    if (asked?.turn?.kind === 'given') asked.turn.release();
  }

  #ended(asked: Asked, turn: Turn): void {
    asked.turn = turn;
    if (turn.kind === 'given') this.#given(asked);
    else this.waiting.splice(this.waiting.indexOf(asked), 1);
    const ready = new Set(this.#ready());
    for (const owner of this.#passedBy.keys()) if (!ready.has(owner)) this.#passedBy.delete(owner);
  }

  #given(asked: Asked): void {
    const { owner } = asked;
    expect(this.waiting.find((it) => it.owner === owner)).toBe(asked);
    this.waiting.splice(this.waiting.indexOf(asked), 1);
    this.#passedBy.delete(owner);
    for (const other of this.#ready()) {
      const passedBy = [...(this.#passedBy.get(other) ?? []), owner];
      if (other !== owner) this.#passedBy.set(other, passedBy);
      expect(new Set(passedBy).size, `${passedBy} before ${other}`).toBe(passedBy.length);
    }
    this.holding.push(asked);
    expect(this.#held(owner)).toBeLessThanOrEqual(this.#limits.perOwner);
    expect(this.holding.length).toBeLessThanOrEqual(this.#limits.total);
  }

  #held(owner: string): number {
    return this.holding.filter((it) => it.owner === owner).length;
  }

  /** Owners that wait though they may have another place. */
  #ready(): readonly string[] {
    const owners = new Set(this.waiting.map(({ owner }) => owner));
    return [...owners].filter((owner) => this.#held(owner) < this.#limits.perOwner);
  }
}

it('[fair.limits] [fair.turns] [fair.lost] whatever happens, limits hold, turns are kept and no place is lost', async () => {
  const limits = fc.record({
    total: fc.integer({ min: 1, max: 4 }),
    perOwner: fc.integer({ min: 1, max: 4 }),
    waitingPerOwner: fc.integer({ min: 1, max: 5 }),
    longestWaitMs: fc.constantFrom(500, 1_000, Number.POSITIVE_INFINITY),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(act, { maxLength: 60, size: 'max' }), async (chosen, acts) => {
      const watched = new WatchedPool(chosen);
      for (const next of acts) await watched.do(next);
      for (const { abort } of [...watched.waiting]) abort.abort();
      while (watched.holding.length > 0) await watched.do({ kind: 'release', at: 0 });
      await settled();
      expect(watched.waiting).toEqual([]);
      expect(watched.clock.timers.size).toBe(0);
      // All places are free again, for owners who have not been here.
      const turns = await Promise.all(
        Array.from({ length: chosen.total }, (_, n) => watched.pool.take(`new ${n}`, never)),
      );
      expect(turns.map(({ kind }) => kind)).toEqual(turns.map(() => 'given'));
    }),
    { numRuns: 300 },
  );
});

it('[fair.turns] one owner with hundreds of works keeps another waiting for one turn, not for hundreds', async () => {
  const pool = createFairShare(
    { total: 1, perOwner: 9, waitingPerOwner: 500, longestWaitMs: 1_000 },
    handClock(),
  );
  const done: string[] = [];
  const use = (owner: string) => pool.use(owner, never, async () => void done.push(owner));
  const all = Array.from({ length: 300 }, () => use('greedy'));
  all.push(use('modest'), use('modest'));
  await Promise.all(all);
  expect(done.indexOf('modest')).toBeLessThanOrEqual(2);
  expect(done.lastIndexOf('modest')).toBeLessThanOrEqual(4);
  expect(done).toHaveLength(302);
});

it('[fair.limits] one owner leaves places that others take immediately', async () => {
  const pool = createFairShare(LIMITS, handClock());
  const mine = await Promise.all([pool.take('a', never), pool.take('a', never)]);
  const third = pool.take('a', never);
  expect((await pool.take('b', never)).kind).toBe('given');
  const [first] = mine;
  if (first?.kind === 'given') first.release();
  expect((await third).kind).toBe('given');
});

it('[fair.lost] a place comes back once, also when the work throws or gives it back twice', async () => {
  const pool = createFairShare({ ...LIMITS, total: 1, perOwner: 1 }, handClock());
  const broken = pool.use('a', never, () => Promise.reject(new Error('broken')));
  await expect(broken).rejects.toThrow('broken');
  const turn = await pool.take('a', never);
  if (turn.kind !== 'given') throw new Error('no place');
  turn.release();
  turn.release();
  const next = await pool.take('b', never);
  expect(next.kind).toBe('given');
  const waits = pool.take('c', AbortSignal.abort());
  expect(await waits).toEqual({ kind: 'cancelled' });
});

it('[fair.refused] a full line and a long wait say why, and when a place is likely', async () => {
  const clock = handClock();
  const pool = createFairShare({ total: 1, perOwner: 1, waitingPerOwner: 1, longestWaitMs: 5_000 }, clock);
  const held = await pool.take('a', never);
  const waits = pool.take('a', never);
  expect(await pool.take('a', never)).toEqual({
    kind: 'refused',
    why: 'too_many_waiting',
    retryAfterSeconds: 2,
  });
  clock.advance(5_000);
  expect(await waits).toMatchObject({ kind: 'refused', why: 'waited_too_long' });
  // Places are held for long: who comes next is told to come later.
  clock.advance(95_000);
  if (held.kind === 'given') held.release();
  await pool.take('a', never);
  void pool.take('a', never);
  expect(await pool.take('a', never)).toMatchObject({ why: 'too_many_waiting', retryAfterSeconds: 42 });
});
