// Limits of imports, from `import:` in the configuration file.
import { z } from 'zod';
import { fairShareFields } from '../fair-share/fair-share-options.ts';

export const transferOptionsSchema = z.strictObject({
  /** Maximum size of a package. */
  max_package_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** Maximum total size of a package when it is unpacked. */
  max_unpacked_mb: z.int().min(1).max(4_194_304).default(4_096),
  /** Maximum ratio of unpacked to packed size, which counts once more than 100 MB are unpacked. */
  max_ratio: z.int().min(1).max(1_000).default(200),
  /** Maximum number of entries in a package. */
  max_entries: z.int().min(2).max(10_000_000).default(200_000),
  /** Maximum size of the manifest, in which an entry takes about 200 bytes. */
  max_manifest_mb: z.int().min(1).max(128).default(32),
  /** Maximum size of a line in a thread's file, such as a change of its state or an event. */
  max_line_mb: z.int().min(1).max(256).default(64),
  /** How many packages are read at the same time. */
  ...fairShareFields({ at_once: 2, per_user: 1, waiting_per_user: 4 }),
});

export type TransferOptions = z.output<typeof transferOptionsSchema>;
