// Metadata keys that only the service may set (docs/contract/conventions.md#owners).
import type { JsonObject } from './message.ts';

const RESERVED_KEYS: ReadonlySet<string> = new Set(['owner_id', 'user_id']);

/** Returns metadata of a thread, a run or a checkpoint without an owner that a client may have invented. */
export function withoutReservedKeys(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !RESERVED_KEYS.has(key)));
}
