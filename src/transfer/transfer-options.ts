// Limits of imports: what the configuration file says under `import:`.
import { z } from 'zod';
import { fairShareFields } from '../fair-share/fair-share-options.ts';

export const transferOptionsSchema = z.strictObject({
  /** Largest package that is read. */
  max_package_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** What a package may be unpacked, all together. */
  max_unpacked_mb: z.int().min(1).max(4_194_304).default(4_096),
  /** How many times larger than itself a package of more than 100 MB may be unpacked. */
  max_ratio: z.int().min(1).max(1_000).default(200),
  /** Threads and files in a package. */
  max_entries: z.int().min(2).max(10_000_000).default(200_000),
  /** Largest list of what a package holds; an entry takes about 200 bytes of it. */
  max_manifest_mb: z.int().min(1).max(128).default(32),
  /** Longest line: a change of a thread's state, or one event. */
  max_line_mb: z.int().min(1).max(256).default(64),
  /** How many packages are read at the same time. */
  ...fairShareFields({ at_once: 2, per_user: 1, waiting_per_user: 4 }),
});

export type TransferOptions = z.output<typeof transferOptionsSchema>;
