// Time that passes only when everything has been done that could be done at the moment.
import type { CancelTimer, Timers } from '../../src/timers.ts';
import type { Random } from './random.ts';

/** Whose timers these are: they wait while it sleeps, and never go off when it is dead. */
export interface Sleeper {
  state: 'awake' | 'asleep' | 'dead';
}

export interface VirtualTime {
  now(): number;
  timersOf(sleeper: Sleeper): Timers;
  /** Goes on until `done`, or until that much time has passed; whether it was done. */
  run(done: () => boolean, limitMs: number): Promise<boolean>;
}

interface Alarm {
  at: number;
  readonly order: number;
  readonly sleeper: Sleeper;
  readonly work: () => void;
  readonly everyMs: number | undefined;
}

/** Alarms of the same moment go off in an order of chance. */
export function createVirtualTime(random: Random, start: number): VirtualTime {
  let now = start;
  const alarms = new Set<Alarm>();

  const set = (sleeper: Sleeper, ms: number, alarm: Pick<Alarm, 'work' | 'everyMs'>): CancelTimer => {
    const made: Alarm = { ...alarm, at: now + Math.max(0, ms), order: random.next(), sleeper };
    alarms.add(made);
    return () => void alarms.delete(made);
  };

  const next = (): Alarm | undefined => {
    let first: Alarm | undefined;
    for (const alarm of alarms) {
      if (alarm.sleeper.state === 'dead') alarms.delete(alarm);
      else if (alarm.sleeper.state === 'awake' && (first === undefined || isBefore(alarm, first)))
        first = alarm;
    }
    return first;
  };

  const goOff = (alarm: Alarm): void => {
    now = Math.max(now, alarm.at);
    if (alarm.everyMs === undefined) alarms.delete(alarm);
    else alarm.at = now + alarm.everyMs;
    alarm.work();
  };

  return {
    now: () => now,
    timersOf: (sleeper) => ({
      after: (ms, work) => set(sleeper, ms, { work, everyMs: undefined }),
      idlyAfter: (ms, work) => set(sleeper, ms, { work, everyMs: undefined }),
      every: (ms, work) => set(sleeper, ms, { work, everyMs: ms }),
      soon: (work) => set(sleeper, 0, { work, everyMs: undefined }),
      elapsed: () => now - start,
    }),
    async run(done, limitMs) {
      const limit = now + limitMs;
      for (;;) {
        await settled();
        if (done()) return true;
        const alarm = next();
        if (alarm === undefined || alarm.at > limit) return false;
        goOff(alarm);
      }
    },
  };
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Resolves when nothing is left that goes on by itself: promises, not the network. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
