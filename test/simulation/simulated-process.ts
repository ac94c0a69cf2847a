// A process of the simulation: the runs room over a storage that is far away, fails, and may answer too late.
import { agentOptionsSchema } from '../../src/agent/agent-options.ts';
import { createLeadAgentFactory, LEAD_AGENT } from '../../src/agent/lead-agent.ts';
import { createRunRoom, type RunRoom } from '../../src/create-run-room.ts';
import { unavailable } from '../../src/errors.ts';
import { createAssistants } from '../../src/runs/assistants.ts';
import { runOptionsSchema } from '../../src/runs/run-options.ts';
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
  readonly room: RunRoom;
  readonly timers: Timers;
  /** The user's repositories as this process reaches them. */
  readonly repositories: Repositories;
  /** Resolves when it dies: whoever waits for an answer of it never gets one. */
  readonly death: Promise<void>;
  die(): void;
}

export const USER = 'user';
export const LEASE_MS = 1_000;
const OPTIONS = runOptionsSchema.parse({ lease_ms: LEASE_MS, lease_renewal_ms: 300, max_attempts: 4 });

export function startProcess(world: World): SimulatedProcess {
  const process = createProcess(world);
  process.room.dispatcher.start().catch(() => {});
  return process;
}

/** One that executes no runs as long as nobody starts it. */
export function createProcess(world: World): SimulatedProcess {
  const sleeper: Sleeper = { state: 'awake' };
  const timers = world.time.timersOf(sleeper);
  const storage = distantStorage(world, timers);
  const { now } = world.time;
  const { newId } = world;
  const model = createSimulatedModel(world, timers);
  const room = createRunRoom({
    storage,
    states: createThreadStates({ maxBytes: 10_000_000 }),
    agents: createLeadAgentFactory({
      models: { default: model, get: () => model, list: () => [] },
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
    assistants: createAssistants([{ name: LEAD_AGENT, description: '' }], now),
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
    room,
    timers,
    repositories: storage.as(USER),
    death: death.promise,
    die() {
      sleeper.state = 'dead';
      death.resolve();
    },
  });
}

function distantStorage(world: World, timers: Timers): Storage {
  const { storage } = world;
  const distant = <Port extends object>(port: Port): Port => distantPort(port, world, timers);
  return {
    ...storage,
    as: (owner) => {
      const { threads, runs, runEvents, frames, checkpoints, ...others } = storage.as(owner);
      return {
        ...others,
        threads: distant(threads),
        runs: distant(runs),
        runEvents: distant(runEvents),
        frames: distant(frames),
        checkpoints: distant(checkpoints),
      };
    },
    runLeases: distant(storage.runLeases),
    runCommits: distant(storage.runCommits),
  };
}

/**
 * Every call takes its time to get there and back. It may fail on the way there, so that nothing was done; a process
 * that sleeps or dies meanwhile gets the answer late or never.
 */
function distantPort<Port extends object>(port: Port, { random, faults }: World, timers: Timers): Port {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await pause(timers, random.chance(faults.slowCall) ? random.below(400) : random.below(3));
        if (random.chance(faults.failedCall)) throw unavailable('The database does not answer.');
        const answer: unknown = await Reflect.apply(member, target, args);
        if (random.chance(0.5)) await pause(timers, random.below(3));
        return answer;
      };
    },
  });
}
