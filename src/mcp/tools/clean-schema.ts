// Converts a server's schema for a tool's arguments to a form that providers accept: they refuse the whole
// prompt for a bad one.
import { isFields } from '../../json/unknown-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../messages/message.ts';
import { withoutHidden } from '../server-words.ts';
import { isExpression, NoSchema, newestForm, requireArgumentName } from './newest-form.ts';
import { KEYWORDS, referred, requireReferences } from './schema-references.ts';

const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 32;
/** Characters of `{}` or `[]`, with the comma after it. */
const EMPTY = 3;
/** Each schema takes some time before others get their turn. */
const MAX_SCHEMAS = 2_000;
const SHOWN_NAME = 64;
/** Providers accept none of these at the top; the server checks arguments anyway. */
const NOT_AT_THE_TOP = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else']);

export type CleanSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  /** A clause that explains why it is not a schema of arguments. */
  | { readonly ok: false; readonly problem: string };

/** Cleans a schema to an `object` of JSON Schema 2020-12 with `properties`. Does not check keyword values. */
export function cleanSchema(given: unknown): CleanSchema {
  try {
    if (!isFields(given)) throw new NoSchema('its schema is not an object');
    const whole = new Cleaning().schema(given, 0);
    if (!isJsonObject(whole)) throw new NoSchema('its schema is not an object');
    const { schema, type } = withTop(whole);
    if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
      throw new NoSchema('its arguments are not an object');
    requireReferences(schema);
    return { ok: true, schema };
  } catch (error) {
    if (error instanceof NoSchema) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Replaces a reference at the top by its target, because providers want to see the arguments there. */
function withTop(whole: JsonObject): { readonly schema: JsonObject; readonly type: Json | undefined } {
  let top = whole;
  for (let steps = 0; typeof top.$ref === 'string'; steps += 1) {
    const { $ref, ...others } = top;
    const target = referred(whole, $ref);
    if (!isJsonObject(target) || steps === MAX_DEPTH)
      throw new NoSchema('its schema refers to something that is not in it');
    top = { ...target, ...others };
  }
  const kept = Object.entries(top).filter(([key]) => !NOT_AT_THE_TOP.has(key));
  const schema = newestForm({ properties: {}, ...Object.fromEntries(kept), type: 'object' });
  return { schema, type: top.type };
}

/** Throws `NoSchema` for a schema that is too long or too deep, and for values that are not JSON. */
class Cleaning {
  #characters = 0;
  #schemas = 0;

  schema(value: unknown, depth: number): Json {
    if (!isFields(value)) return this.#json(value, depth);
    this.#requireDepth(depth);
    this.#count(EMPTY);
    this.#schemas += 1;
    if (this.#schemas > MAX_SCHEMAS)
      throw new NoSchema(`its schema contains more than ${MAX_SCHEMAS} schemas`);
    const fields = Object.entries(value).map(([keyword, it]): [string, Json] => [
      this.#text(keyword),
      this.#inside(keyword, it, depth + 1),
    ]);
    return newestForm(Object.fromEntries(fields));
  }

  #inside(keyword: string, value: unknown, depth: number): Json {
    const place = KEYWORDS.get(keyword)?.place;
    // Also where one schema is expected: older drafts have lists of items.
    if (Array.isArray(value) && place !== undefined && place !== 'named schemas')
      return value.map((it) => this.schema(it, depth));
    if (place === 'schema') return this.schema(value, depth);
    if (place === 'named schemas' && isFields(value)) return this.#named(keyword, value, depth);
    return this.#json(value, depth);
  }

  #named(keyword: string, schemas: Readonly<Record<string, unknown>>, depth: number): Json {
    const entries = Object.entries(schemas).map(([name, it]): [string, Json] => {
      requireName(keyword, name);
      return [this.#text(name), this.schema(it, depth)];
    });
    return Object.fromEntries(entries);
  }

  #json(value: unknown, depth: number): Json {
    this.#requireDepth(depth);
    if (typeof value === 'string') return this.#text(value);
    this.#count(typeof value === 'number' ? String(value).length : EMPTY);
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((it) => this.#json(it, depth + 1));
    if (!isFields(value)) throw new NoSchema('its schema has a value that is not JSON');
    const fields = Object.entries(value).map(([key, it]): [string, Json] => [
      this.#text(key),
      this.#json(it, depth + 1),
    ]);
    return Object.fromEntries(fields);
  }

  #text(text: string): string {
    this.#count(text.length + 2);
    return withoutHidden(text);
  }

  /** Counts while reading, so that a schema that is far too long is not read to its end. */
  #count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw new NoSchema('its schema is larger than 64 KB');
  }

  #requireDepth(depth: number): void {
    if (depth > MAX_DEPTH) throw new NoSchema(`its schema is more than ${MAX_DEPTH} levels deep`);
  }
}

function requireName(keyword: string, name: string): void {
  if (keyword === 'properties') requireArgumentName(name);
  if (keyword === 'patternProperties' && !isExpression(name))
    throw new NoSchema(
      `its schema has the pattern '${withoutHidden(name).slice(0, SHOWN_NAME)}', which is no regular expression`,
    );
}
