// The storage options, as the configuration gives them.
import { z } from 'zod';

const KNOWN = /^(sqlite:.+|postgres(ql)?:\/\/.+)$/s;

/** `sqlite:<path>`, `sqlite::memory:` or `postgres://user:password@host:port/database`. */
export const storageOptionsSchema = z.strictObject({
  url: z
    .string()
    .regex(KNOWN, 'must be sqlite:<path>, sqlite::memory: or postgres://user:password@host:port/database'),
  /** On Postgres: whether the database isolates owners as well. Absent: where it can. */
  row_level_security: z.boolean().optional(),
});

export type StorageOptions = z.output<typeof storageOptionsSchema>;
