// What the processes and clients of one simulation share.
import type { Notice } from '../../src/storage/notices.ts';
import type { EffectLine } from '../faults/effect-tools.ts';
import type { Random } from './random.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How likely each fault is, every time that it could happen. */
export interface Faults {
  readonly failedCall: number;
  /** The database does what it is asked, and the answer is lost. */
  readonly lostAnswer: number;
  readonly slowCall: number;
  /** The model says nothing for longer than a lease. */
  readonly stall: number;
  /** A reader leaves after a frame, and comes back. */
  readonly leave: number;
}

/** A restore or a failover: what was committed in between is gone. */
export interface Loss {
  readonly copiedAt: number;
  readonly lostAt: number;
}

export interface Effect extends EffectLine {
  readonly at: number;
}

/** That of the server, by which all processes go. */
export interface DatabaseClock {
  now(): number;
  /** It is set, forward or back. */
  stepBy(ms: number): void;
}

export interface World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** A notice is lost on its way, and nobody knows. */
  readonly deafness: number;
  /** What processes hear of one another. */
  readonly hearers: Set<(notice: Notice) => void>;
  readonly database: SimulatedDatabase;
  readonly databaseClock: DatabaseClock;
  /** Whether processes go by clocks of their own. Otherwise they have the time from the database, as on PostgreSQL. */
  readonly hasWrongClocks: boolean;
  /** Whether the database answers anybody. */
  isDatabaseAway: boolean;
  readonly losses: Loss[];
  /** Resolves when the database goes on as it is. */
  readonly calm: Promise<void>;
  readonly newId: () => string;
  readonly effects: Effect[];
  /** One for each place where a process is to run; a dead one until it is started again. */
  readonly processes: SimulatedProcess[];
}
