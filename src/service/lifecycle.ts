// Starts a service and ends it: whatever of it begins or ends something is in one list.
import type { Auth } from '../auth/create-auth.ts';
import type { Log } from '../log.ts';
import type { Runs } from '../runs/create-runs.ts';
import type { Storage } from '../storage/storage.ts';
import type { Upkeep } from '../upkeep/upkeep.ts';
import type { Workspace } from '../workspace/create-workspace.ts';

interface LifecyclePart {
  /** For the log. */
  readonly name: string;
  /** What resolves is ready then; what goes on in the background afterwards ends with `drain`. */
  start?(): Promise<void> | void;
  /** Why it can take no work now, a sentence each. */
  ready?(): Promise<readonly string[]>;
  /** Takes nothing new, lets what goes on end for so long, and writes what is left. May come twice. */
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

/** Every step goes through the list from its beginning, and waits for one part before it turns to the next. */
function lifecycleParts({ storage, auth, runs, upkeep, workspace }: ServiceParts): readonly LifecyclePart[] {
  const { service, dispatcher, threadChanges, wakeUps } = runs;
  return [
    { name: 'first administrator', start: () => auth.bootstrap() },
    // From here on it hears of what other processes do, in the background.
    { name: 'wake-ups from others', start: () => wakeUps.start() },
    { name: 'admission', drain: () => service.close() },
    // Takes up runs in the background.
    { name: 'dispatcher', start: () => dispatcher.start(), drain: (graceMs) => dispatcher.drain(graceMs) },
    { name: 'followed threads', drain: () => threadChanges.close() },
    // Jobs, in the background; conversions are begun by requests.
    {
      name: 'upkeep and conversions',
      start: () => upkeep.start(),
      async drain() {
        await Promise.all([upkeep.stop(), workspace.stop()]);
      },
    },
    { name: 'run log', drain: () => runs.log.idle() },
    // The last that others hear of this process is what it has written last.
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

export interface Lifecycle {
  /** Creates the first administrator if there is none and takes up runs that an earlier process left. */
  start(): Promise<void>;
  /** Why the service can take no work now, a sentence each. */
  ready(): Promise<readonly string[]>;
  /** No new runs; running ones get `graceMs`, what is left is handed back, and everything is written. */
  drain(graceMs: number): Promise<void>;
  /** `drain`; then the database is closed. */
  close(graceMs: number): Promise<void>;
}

export function createLifecycle(service: ServiceParts, log: Pick<Log, 'debug'>): Lifecycle {
  const parts = lifecycleParts(service);
  let isDraining = false;
  const each = async (step: 'start' | 'drain' | 'close', graceMs = 0): Promise<void> => {
    for (const part of parts) {
      if (part[step] === undefined) continue;
      await part[step](graceMs);
      log.debug({ part: part.name }, `${step} is done`);
    }
  };
  const drain = async (graceMs: number): Promise<void> => {
    isDraining = true;
    await each('drain', graceMs);
  };
  return {
    start: () => each('start'),
    async ready() {
      const reasons = isDraining ? ['The service is stopping.'] : [];
      for (const part of parts) reasons.push(...((await part.ready?.()) ?? []));
      return reasons;
    },
    drain,
    async close(graceMs) {
      await drain(graceMs);
      await each('close');
    },
  };
}
