// What the processes and clients of one simulation share.
import type { Storage } from '../../src/storage/storage.ts';
import type { EffectLine } from '../faults/effect-tools.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How likely each fault is, every time that it could happen. */
export interface Faults {
  readonly failedCall: number;
  readonly slowCall: number;
  /** The model says nothing for longer than a lease. */
  readonly stall: number;
  /** A reader leaves after a frame, and comes back. */
  readonly leave: number;
}

export interface World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** The database, as it is for somebody who sits beside it. */
  readonly storage: Storage;
  readonly newId: () => string;
  readonly effects: EffectLine[];
  /** Those that live. */
  readonly processes: SimulatedProcess[];
}
