// An item of the store in its wire format.
import { z } from 'zod';
import { presenterOf } from './presenter-of.ts';
import { jsonObject, timeField } from './wire-fields.ts';

export const storeItemBodySchema = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: jsonObject,
    created_at: timeField,
    updated_at: timeField,
    /** `null` if it stays until it is deleted. */
    expires_at: timeField.nullable(),
  })
  .meta({ id: 'StoreItem' });

export const foundItemBodySchema = storeItemBodySchema
  .extend({ score: z.number().nullable() })
  .meta({ id: 'FoundStoreItem' });

export const presentStoreItem = presenterOf(storeItemBodySchema);
