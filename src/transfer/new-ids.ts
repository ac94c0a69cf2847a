// The ids of an imported thread: those of the package, or new ones when one of them is taken. Pure.
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../messages/message.ts';

export interface Ids {
  readonly of: (id: string) => string;
  /** Replaces the ids in the known fields of a JSON value. */
  readonly inside: (value: JsonObject) => JsonObject;
}

export const OWN_IDS: Ids = { of: (id) => id, inside: (value) => value };

/** Fields in which records refer to each other in free-form values. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'thread_id',
  'run_id',
  'follow_up_to_run_id',
  'parent_run_id',
  'checkpoint_id',
  'parent_checkpoint_id',
]);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Derives the same new id for the same old one everywhere, without a table of them, as a hash with this salt.
 * The time in an id stays, so that new ids sort as the old ones did.
 */
export function newIds(salt: string): Ids {
  const of = (id: string): string => {
    const hash = createHash('sha256').update(`${salt}\n${id}`).digest('hex');
    const time = UUID.test(id) ? id.replaceAll('-', '').slice(0, 12) : hash.slice(32, 44);
    const variant = '89ab'[Number.parseInt(hash.charAt(3), 16) % 4];
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
  };
  const renamed = (value: Json, key?: string): Json => {
    if (typeof value === 'string')
      return key !== undefined && ID_FIELDS.has(key) && value !== '' ? of(value) : value;
    if (Array.isArray(value)) return value.map((child: Json) => renamed(child));
    return isJsonObject(value) ? insideOf(value) : value;
  };
  const insideOf = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, child]) => [key, renamed(child, key)]));
  return { of, inside: insideOf };
}
