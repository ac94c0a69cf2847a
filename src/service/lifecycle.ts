// Starts and stops a service. One list holds every part that starts or stops something.
import type { Auth } from '../auth/create-auth.ts';
import type { Log } from '../log.ts';
import type { Runs } from '../runs/create-runs.ts';
import type { Storage } from '../storage/storage.ts';
import type { Upkeep } from '../upkeep/upkeep.ts';
import type { Workspace } from '../workspace/create-workspace.ts';

interface LifecyclePart {
  /** For the log. */
  readonly name: string;
  /** Resolves when the part is ready. Its background work ends with `drain`. */
  start?(): Promise<void> | void;
  /** Returns the reasons why the part cannot accept work now, one sentence each. */
  ready?(): Promise<readonly string[]>;
  /** Accepts nothing new, gives current work `graceMs` to end, and writes the rest. May be called twice. */
  drain?(graceMs: number): Promise<void> | void;
  close?(): Promise<void>;
}

interface ServiceParts {
  readonly storage: Pick<Storage, 'checkWritable' | 'close'>;
  readonly auth: Pick<Auth, 'bootstrap'>;
  readonly runs: Pick<Runs, 'service' | 'dispatcher' | 'log' | 'threadChanges' | 'wakeUps'>;
  readonly upkeep: Pick<Upkeep, 'start' | 'stop'>;
  readonly workspace: Pick<Workspace, 'checkDataHome' | 'stop'>;
}

/** Every step walks the list from the start and waits for each part before the next. */
function lifecycleParts({ storage, auth, runs, upkeep, workspace }: ServiceParts): readonly LifecyclePart[] {
  const { service, dispatcher, threadChanges, wakeUps } = runs;
  return [
    { name: 'first administrator', start: () => auth.bootstrap() },
    // From here on, the process receives notifications of other processes in the background.
    { name: 'wake-ups from others', start: () => wakeUps.start() },
    { name: 'admission', drain: () => service.close() },
    // Claims runs in the background.
    { name: 'dispatcher', start: () => dispatcher.start(), drain: (graceMs) => dispatcher.drain(graceMs) },
    { name: 'followed threads', drain: () => threadChanges.close() },
    // Jobs run in the background; requests start conversions.
    {
      name: 'upkeep and conversions',
      start: () => upkeep.start(),
      async drain() {
        await Promise.all([upkeep.stop(), workspace.stop()]);
      },
    },
    { name: 'run log', drain: () => runs.log.idle() },
    // Stops late, so that other processes are notified of this process's last writes.
    { name: 'wake-ups for others', drain: () => wakeUps.stop() },
    {
      name: 'database',
      ready: () =>
        storage.checkWritable().then(
          () => [],
          () => ['The database cannot be written.'],
        ),
      close: () => storage.close(),
    },
    { name: 'data home', ready: () => workspace.checkDataHome() },
  ];
}

export function createLifecycle(service: ServiceParts, log: Pick<Log, 'debug'>) {
  const parts = lifecycleParts(service);
  let isDraining = false;
  const each = async (step: 'start' | 'drain' | 'close', graceMs = 0): Promise<void> => {
    for (const part of parts) {
      if (part[step] === undefined) continue;
      await part[step](graceMs);
      log.debug({ part: part.name }, `${step} is done`);
    }
  };
  /**
   * Accepts no new runs, lets running ones end for `graceMs`, hands the others back, and writes everything.
   */
  const drain = async (graceMs: number): Promise<void> => {
    isDraining = true;
    await each('drain', graceMs);
  };
  return {
    /** Creates the first administrator if there is none, and resumes runs of an earlier process. */
    start: () => each('start'),
    /** Returns the reasons why the service cannot accept work now, one sentence each. */
    async ready(): Promise<readonly string[]> {
      const reasons = isDraining ? ['The service is stopping.'] : [];
      for (const part of parts) reasons.push(...((await part.ready?.()) ?? []));
      return reasons;
    },
    drain,
    /** Calls `drain`, then closes the database. */
    async close(graceMs: number): Promise<void> {
      await drain(graceMs);
      await each('close');
    },
  };
}

export type Lifecycle = ReturnType<typeof createLifecycle>;
