// What the bodies of several routes share.
import { z } from 'zod';

/** `null` counts as absent (docs/contract/conventions.md#requests). */
export const absentWhenNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional());
