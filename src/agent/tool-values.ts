// How the changes that several tools make to the same fields of the state become one. Pure.
import { isJsonObject, type Json, type JsonObject } from '../messages/message.ts';

type Reducer = (before: Json | undefined, change: Json) => Json;

/** Fields that a call adds to; of any other field, the last call has the say. */
const REDUCERS: ReadonlyMap<string, Reducer> = new Map([
  ['artifacts', appended],
  ['found_tools', appended],
  ['viewed_images', merged],
]);

/** What the fields are after the changes, which come in the order of the calls. The same changes again change nothing. */
export function foldToolValues(before: JsonObject, changes: readonly JsonObject[]): JsonObject {
  const values = new Map<string, Json>();
  for (const [field, change] of changes.flatMap((it) => Object.entries(it))) {
    const reduce = REDUCERS.get(field);
    values.set(field, reduce === undefined ? change : reduce(values.get(field) ?? before[field], change));
  }
  return Object.fromEntries(values);
}

/** In the order of their first appearance. */
function appended(before: Json | undefined, change: Json): Json {
  return [...new Set([...listOf(before), ...listOf(change)])];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A state is no list of images. */
const MAX_FIELDS = 100;

/** By key, the newest last; what was changed longest ago gives way. */
function merged(before: Json | undefined, change: Json): Json {
  const changed = fieldsOf(change);
  const kept = Object.entries(fieldsOf(before)).filter(([key]) => !(key in changed));
  return Object.fromEntries([...kept, ...Object.entries(changed)].slice(-MAX_FIELDS));
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
