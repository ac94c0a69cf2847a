// Imports what programs keep for a person: items that the account does not have, within its limits.
import { createBreath } from '../breath.ts';
import { conflict } from '../errors.ts';
import type { NewStoreItem, StoreItemRepository, StoreUse } from '../storage/store-items.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import { itemSchema } from './package-format.ts';
import {
  type LinesFile,
  parsedPackage,
  parsePackageJson,
  readLines,
  refusedPackage,
} from './package-text.ts';

export interface ImportItemsParts {
  readonly itemsOf: (userId: string) => Pick<StoreItemRepository, 'get' | 'put' | 'use'>;
  readonly itemLimits: ItemLimits;
  readonly admitMetadata: AdmitMetadata;
  readonly now: () => number;
}

interface ItemLimits {
  /** Limit for one user. */
  readonly all: StoreUse;
  /** Limit for one value as JSON. */
  readonly maxValueBytes: number;
}

/** Leaves space for the fields around a value and the escapes in it. */
const MAX_LINE_BYTES = 8_388_608;

/**
 * Throws `validation_failed` for a line that is not an item, and `conflict` when the items exceed the user's
 * limits.
 */
export async function checkItems(parts: ImportItemsParts, userId: string, file: LinesFile): Promise<void> {
  const { all } = parts.itemLimits;
  const use = { ...(await parts.itemsOf(userId).use()) };
  let added = 0;
  for await (const item of newItems(parts, userId, file)) {
    use.items += 1;
    use.bytes += bytesOf(item);
    added += bytesOf(item);
    if (use.items > all.items || use.bytes > all.bytes) throw tooMany(all);
  }
  if (added > 0) await parts.admitMetadata(userId, added);
}

/**
 * Adds the items. An item with an existing name is skipped, and expiry times stay as they are. Returns the
 * number of added items. Throws as `checkItems` does.
 */
export async function importItems(parts: ImportItemsParts, userId: string, file: LinesFile): Promise<number> {
  const items = parts.itemsOf(userId);
  let stored = 0;
  for await (const item of newItems(parts, userId, file)) {
    const outcome = await items.put(item, parts.itemLimits.all, parts.now());
    if (outcome === 'too_many') throw tooMany(parts.itemLimits.all);
    stored += 1;
  }
  return stored;
}

async function* newItems(
  { itemsOf, itemLimits, now }: ImportItemsParts,
  userId: string,
  file: LinesFile,
): AsyncGenerator<NewStoreItem> {
  const items = itemsOf(userId);
  const breath = createBreath();
  for await (const { bytes, where } of readLines(file, MAX_LINE_BYTES)) {
    const parsed = parsedPackage(itemSchema, await parsePackageJson(bytes, where), where);
    await breath();
    const { namespace, key, value, expires_at: expiresAt } = parsed;
    const ttlMs = expiresAt === null ? null : expiresAt - now();
    const item = { namespace, key, value, ttlMs };
    if (bytesOf(item) > itemLimits.maxValueBytes)
      throw refusedPackage(`${where}: value is larger than ${itemLimits.maxValueBytes} bytes of JSON.`);
    const isOver = ttlMs !== null && ttlMs <= 0;
    if (!isOver && (await items.get(item, now())) === undefined) yield item;
  }
}

function bytesOf({ value }: NewStoreItem): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function tooMany({ items, bytes }: StoreUse) {
  return conflict(
    `With the items of the package you would keep more than ${items} items or ${bytes / 1_048_576} MB in the store (store.max_items_per_user, store.max_mb_per_user). Delete some, and import again.`,
  );
}
