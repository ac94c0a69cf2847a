// Limits of the store, from `store:` in the configuration file.
import { z } from 'zod';

export const storeOptionsSchema = z.strictObject({
  /**
   * Maximum number of items of one user. A search with a filter or a query reads all items below its prefix.
   */
  max_items_per_user: z.int().min(1).max(100_000).default(10_000),
  /** Maximum size of the values of one user together, as JSON. */
  max_mb_per_user: z.int().min(1).max(1_024).default(32),
  /** Maximum size of one value as JSON. */
  max_value_kb: z.int().min(1).max(1_024).default(64),
});

export type StoreOptions = z.output<typeof storeOptionsSchema>;
