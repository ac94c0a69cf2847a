// An item of the store as the wire shows it.
import { z } from 'zod';
import type { StoreItem } from '../../storage/store-items.ts';
import { jsonObject, timeField, timestamp } from './wire-fields.ts';

export const storeItemBodySchema = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: jsonObject,
    created_at: timeField,
    updated_at: timeField,
    /** `null`: it stays until it is deleted. */
    expires_at: timeField.nullable(),
  })
  .meta({ id: 'StoreItem' });

export const foundItemBodySchema = storeItemBodySchema
  .extend({ score: z.number().nullable() })
  .meta({ id: 'FoundStoreItem' });

export function presentStoreItem(item: StoreItem): z.output<typeof storeItemBodySchema> {
  return {
    namespace: [...item.namespace],
    key: item.key,
    value: item.value,
    created_at: timestamp(item.createdAt),
    updated_at: timestamp(item.updatedAt),
    expires_at: item.expiresAt === null ? null : timestamp(item.expiresAt),
  };
}
