// The foundation of a service: log, database, time, ids, background work and the confinement of programs.
import { createAuditAnchors } from '../auth/audit-anchor.ts';
import type { Environment } from '../config/references.ts';
import type { Config } from '../config/schema.ts';
import type { PeerAddress } from '../http/middleware/client.ts';
import { createLoopLag, type LoopLag } from '../http/transport/loop-lag.ts';
import { createLog, type Log } from '../log.ts';
import { type ConfinementOf, createConfinement } from '../processes/confinement.ts';
import { openStorage } from '../storage/sql/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { createThreadStates, type ThreadStates } from '../storage/thread-states.ts';
import { REAL_TIMERS, type Timers } from '../timers.ts';
import type { Tool } from '../tools/tool.ts';
import { createUpkeep, type Upkeep } from '../upkeep/upkeep.ts';
import { createUuidV7 } from '../uuid-v7.ts';

export interface Ground {
  readonly config: Config;
  readonly dataHome: string;
  readonly log: Log;
  readonly loopLag: LoopLag;
  readonly storage: Storage;
  /** Resolves when the disk under the database has failed. */
  readonly diskFailure: Promise<void>;
  /** True when no other process uses the database. */
  readonly exclusive: boolean;
  readonly states: ThreadStates;
  readonly now: () => number;
  readonly newId: () => string;
  readonly timers: Timers;
  readonly upkeep: Upkeep;
  /** Files and folders that are hidden from every sandbox. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
}

/** Replacements that a test passes for parts of the real environment. */
export interface ServiceOverrides
  extends Partial<Pick<Ground, 'log' | 'storage' | 'now' | 'newId' | 'timers' | 'confinement'>> {
  /** Returns the tools to use, given the service's own. */
  readonly tools?: (own: readonly Tool[]) => readonly Tool[];
  readonly peerAddress?: PeerAddress;
  readonly webRoot?: string;
  /** The variables to which `$NAME` refers in the configuration of tool servers. */
  readonly environment?: Environment;
}

export async function createGround(config: Config, overrides: ServiceOverrides): Promise<Ground> {
  const { dataHome, database } = config;
  const { log = createLog(config.log), timers = REAL_TIMERS } = overrides;
  const { promise: diskFailure, resolve: onDiskFailure } = Promise.withResolvers<void>();
  const { url, row_level_security } = database;
  const opened = () => openStorage({ url, row_level_security, log, now: overrides.now, onDiskFailure });
  const storage = overrides.storage ?? (await opened());
  const { now = storage.now } = overrides;
  const { newId = createUuidV7(now) } = overrides;
  const upkeep = createUpkeep({ log, timers });
  upkeep.add(createAuditAnchors({ audit: storage.audit, log }));
  const hidden = hiddenFiles(config);
  return {
    config,
    dataHome,
    log,
    loopLag: createLoopLag({ log }),
    storage,
    diskFailure,
    exclusive: url.startsWith('sqlite:'),
    states: createThreadStates({ maxBytes: config.runs.state_cache_mb * 1_048_576 }),
    now,
    newId,
    timers,
    upkeep,
    hidden,
    confinement: overrides.confinement ?? createConfinement({ path: config.sandbox.path, hidden }),
  };
}

/** Returns the paths to hide, wherever they are. The names of the database's files share a prefix. */
function hiddenFiles({ dataHome, configFile, database }: Config): readonly string[] {
  const file = /^sqlite:(?!:memory:)(.+)$/s.exec(database.url)?.[1];
  return [dataHome, configFile, ...(file === undefined ? [] : [file, `${file}-wal`, `${file}-shm`])];
}
