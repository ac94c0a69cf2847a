// Schemas that the bodies of several routes share.
import { z } from 'zod';

export const jsonObject = z.record(z.string(), z.json());

/** `null` counts as absent (decisions, head). */
export const absentWhenNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional());
