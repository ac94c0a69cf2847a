// A process of the simulation: runs over a storage that is far away, fails, and may answer too late.
import { agentOptionsSchema } from '../../src/agent/agent-options.ts';
import { createLeadAgentFactory } from '../../src/agent/lead-agent.ts';
import { unavailable } from '../../src/errors.ts';
import { createRuns, type Runs } from '../../src/runs/create-runs.ts';
import { runOptionsSchema } from '../../src/runs/run-options.ts';
import type { Notice, Notices } from '../../src/storage/notices.ts';
import type { Repositories, Storage } from '../../src/storage/storage.ts';
import { createThreadStates } from '../../src/storage/thread-states.ts';
import { pause, type Timers } from '../../src/timers.ts';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { createSimulatedModel } from './simulated-model.ts';
import { simulatedTools } from './simulated-tools.ts';
import type { Sleeper } from './virtual-time.ts';
import type { World } from './world.ts';

export interface SimulatedProcess extends Sleeper {
  readonly runs: Runs;
  readonly timers: Timers;
  /** The user's repositories as this process reaches them. */
  readonly repositories: Repositories;
  /** Resolves when it dies: whoever waits for an answer of it never gets one. */
  readonly death: Promise<void>;
  die(): void;
}

export const USER = 'user';
export const LEASE_MS = 2_000;
const OPTIONS = runOptionsSchema.parse({ lease_ms: LEASE_MS, lease_renewal_ms: 300, max_attempts: 4 });

const HOUR_MS = 3_600_000;
/** How often a clock is set, every time that somebody looks at it. */
const STEP = 0.002;

export function startProcess(world: World): SimulatedProcess {
  const process = createProcess(world);
  process.runs.wakeUps.start();
  process.runs.dispatcher.start().catch(() => {});
  return process;
}

/** One that executes no runs as long as nobody starts it. */
export function createProcess(world: World): SimulatedProcess {
  const sleeper: Sleeper = { state: 'awake' };
  const timers = world.time.timersOf(sleeper);
  const storage = distantStorage(world, timers);
  const now = world.hasWrongClocks ? wrongClock(world) : world.databaseClock.now;
  const { newId } = world;
  const model = createSimulatedModel(world, timers);
  const runs = createRuns({
    storage,
    states: createThreadStates({ maxBytes: 10_000_000 }),
    agents: createLeadAgentFactory({
      models: { get: () => model, list: () => [] },
      tools: simulatedTools(world, timers),
      sources: [],
      log: QUIET_LOG,
      options: agentOptionsSchema.parse({}),
      summaryModel: undefined,
      goalModel: undefined,
      isAwaited: async () => false,
      openTasks: async () => [],
      titleModel: undefined,
      onLateTitle: () => {},
      now,
      newId,
    }),
    options: OPTIONS,
    log: QUIET_LOG,
    now,
    newId,
    exclusive: false,
    timers,
    upkeep: createUpkeep({ log: QUIET_LOG, timers }),
  });
  const death = Promise.withResolvers<void>();
  return Object.assign(sleeper, {
    runs,
    timers,
    repositories: storage.as(USER),
    death: death.promise,
    die() {
      sleeper.state = 'dead';
      death.resolve();
    },
  });
}

/** Up to an hour from the time of the database, and set forth and back. */
function wrongClock({ random, time }: World): () => number {
  const error = (): number => Math.round((random.next() * 2 - 1) * HOUR_MS);
  let offset = error();
  return () => {
    if (random.chance(STEP)) offset = error();
    return time.now() + offset;
  };
}

/** The database as this process reaches it. */
function distantStorage(world: World, timers: Timers): Storage {
  const current = (): Storage => world.database.storage;
  const distant = <Port extends object>(port: () => Port): Port => distantPort(port, world, timers);
  const distantRepositories = (find: () => Repositories, ahead?: Repositories): Repositories =>
    standIn(find, {
      threads: distant(() => find().threads),
      runs: distant(() => find().runs),
      runEvents: distant(() => find().runEvents),
      frames: distant(() => find().frames),
      checkpoints: distant(() => find().checkpoints),
      ...(ahead === undefined ? {} : { ahead }),
    });
  return standIn(current, {
    as: (owner) => {
      const find = (): Repositories => current().as(owner);
      return distantRepositories(
        find,
        distantRepositories(() => find().ahead),
      );
    },
    notices: distantNotices(world, timers),
    workers: distant(() => current().workers),
    runLeases: distant(() => current().runLeases),
    runCommits: distant(() => current().runCommits),
    threadMarks: distant(() => current().threadMarks),
    backgroundTasks: distant(() => current().backgroundTasks),
  });
}

/** What there is at each access, which may be another one than before, with some members of its own. */
function standIn<Whole extends object>(current: () => Whole, own: Partial<Whole>): Whole {
  return new Proxy(current(), {
    get: (_, key): unknown => Reflect.get(Object.hasOwn(own, key) ? own : current(), key),
  });
}

/** They come late, twice or not at all, as notices do. */
function distantNotices({ random, hearers, deafness }: World, timers: Timers): Notices {
  let mine: ((notice: Notice) => void) | undefined;
  const stop = async (): Promise<void> => {
    if (mine !== undefined) hearers.delete(mine);
  };
  return {
    start(onNotice) {
      mine = (notice) => {
        for (let times = random.chance(0.05) ? 2 : 1; times > 0; times--)
          if (!random.chance(deafness)) timers.after(random.below(100), () => onNotice(notice));
      };
      hearers.add(mine);
    },
    send(notice) {
      for (const hear of hearers) if (hear !== mine) hear(notice);
    },
    arrive: () => true,
    stop,
  };
}

/**
 * Every call takes its time to get there and back. It may fail on the way there, so that nothing was done, or on the way
 * back; a process that sleeps or dies meanwhile gets the answer late or never.
 */
function distantPort<Port extends object>(current: () => Port, world: World, timers: Timers): Port {
  const { random, faults } = world;
  const failBy = (probability: number): void => {
    if (world.isDatabaseAway || random.chance(probability))
      throw unavailable('The database does not answer.');
  };
  return new Proxy(current(), {
    get(_, key) {
      if (typeof Reflect.get(current(), key) !== 'function') return Reflect.get(current(), key);
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await pause(timers, random.chance(faults.slowCall) ? random.below(400) : random.below(3));
        failBy(faults.failedCall);
        const port = current();
        const method: unknown = Reflect.get(port, key);
        if (typeof method !== 'function') throw new TypeError(`${String(key)} is no method.`);
        const answer: unknown = await Reflect.apply(method, port, args);
        // The server went away in the middle of it.
        if (port !== current()) failBy(1);
        if (random.chance(0.5)) await pause(timers, random.below(3));
        failBy(faults.lostAnswer);
        return answer;
      };
    },
  });
}
