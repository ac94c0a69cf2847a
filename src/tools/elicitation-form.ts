// The form that a tool server asks the person to fill in: its fields, cleaned, and what each of them accepts.
import { z } from 'zod';
import type { Elicitation, ElicitationAnswer } from '../mcp/connections/connection.ts';
import { withoutHidden } from '../mcp/server-words.ts';
import type { JsonObject } from '../messages/message.ts';

export interface ElicitationForm {
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: FieldSchema;
}

export type FieldValue = Extract<ElicitationAnswer, { action: 'accept' }>['content'][string];

/** A longer form is not shown. */
const MAX_FORM_CHARACTERS = 65_536;

const shownText = z.string().transform(withoutHidden);
const about = { title: shownText.optional().catch(undefined), description: shownText.optional() };
const count = z.int().nonnegative().optional().catch(undefined);
const bound = z.number().optional().catch(undefined);
/** Values to choose from, and the text shown for each, in the same order. */
const values = z.array(z.string()).max(200);
const choices = { enum: values, enumNames: z.array(shownText).max(200).optional().catch(undefined) };
const titled = z.array(z.object({ const: z.string(), title: shownText })).max(200);

const fieldSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('string'),
    ...about,
    ...choices,
    enum: values.optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional().catch(undefined),
    minLength: count,
    maxLength: count,
    default: z.string().optional().catch(undefined),
  }),
  z.object({ type: z.literal('number'), ...about, minimum: bound, maximum: bound, default: bound }),
  z.object({ type: z.literal('integer'), ...about, minimum: bound, maximum: bound, default: bound }),
  z.object({ type: z.literal('boolean'), ...about, default: z.boolean().optional().catch(undefined) }),
  z.object({
    type: z.literal('array'),
    ...about,
    items: z.object({ type: z.literal('string').default('string'), ...choices, enum: values.optional() }),
    minItems: count,
    maxItems: count,
    default: z.array(z.string()).optional().catch(undefined),
  }),
]);
export type FieldSchema = z.output<typeof fieldSchema>;

/**
 * Returns `undefined` when the protocol does not know a field, its name has invisible characters, or the form
 * is too large to show.
 */
export function formOf(
  server: string,
  { message, requestedSchema }: Elicitation,
): ElicitationForm | undefined {
  const required = new Set(requestedSchema.required);
  const fields = Object.entries(requestedSchema.properties).flatMap(([name, given]): readonly FormField[] => {
    const { success, data } = fieldSchema.safeParse(plainChoices({ type: 'string', items: {}, ...given }));
    return success && withoutHidden(name) === name
      ? [{ name, isRequired: required.has(name), schema: data }]
      : [];
  });
  const isWhole = fields.length === Object.keys(requestedSchema.properties).length;
  const form = { server, message: withoutHidden(message), fields };
  return isWhole && JSON.stringify(form).length <= MAX_FORM_CHARACTERS ? form : undefined;
}

/** Converts the form of newer servers, which put each value beside its title. */
function plainChoices(given: Record<string, unknown>): Record<string, unknown> {
  const { oneOf, items, ...field } = given;
  const inner = z.looseObject({}).safeParse(items).data;
  return { ...field, ...namesIn(oneOf), items: { ...inner, ...namesIn(inner?.anyOf) } };
}

function namesIn(options: unknown): object {
  const list = titled.safeParse(options).data;
  return list === undefined
    ? {}
    : { enum: list.map((it) => it.const), enumNames: list.map(({ title }) => title) };
}

/** Returns the form as JSON Schema, for clients that draw it. */
export function schemaOfForm({ fields }: ElicitationForm): JsonObject {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return JSON.parse(JSON.stringify({ type: 'object', properties, required }));
}

type ReadValue =
  | { readonly ok: true; readonly value: FieldValue }
  /** A clause that says what the field accepts. */
  | { readonly ok: false; readonly takes: string };

/** Reads the value of a field. Text is accepted for every type, as from a form of text inputs. */
export function readFieldValue(given: unknown, schema: FieldSchema): ReadValue {
  switch (schema.type) {
    case 'string':
      return isPlain(given) ? readText(String(given), schema) : { ok: false, takes: 'a text' };
    case 'number':
    case 'integer':
      return readNumber(given, schema);
    case 'boolean': {
      const consent = isPlain(given) ? consentOf(String(given)) : 'unclear';
      return consent === 'unclear'
        ? { ok: false, takes: 'yes or no' }
        : { ok: true, value: consent === 'yes' };
    }
    case 'array':
      return readList(given, schema);
  }
}

/** Whether the value converts to text safely. An object may define its own conversion. */
function isPlain(given: unknown): boolean {
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean';
}

type SchemaOf<Type extends FieldSchema['type']> = Extract<FieldSchema, { type: Type }>;

const FORMATS = {
  email: { schema: z.email(), takes: 'an e-mail address' },
  uri: { schema: z.url(), takes: 'an address such as https://example.com' },
  date: { schema: z.iso.date(), takes: 'a date such as 2030-12-31' },
  'date-time': { schema: z.iso.datetime({ offset: true }), takes: 'a time such as 2030-12-31T18:00:00Z' },
} as const;

function readText(value: string, { format, minLength, maxLength, ...choice }: SchemaOf<'string'>): ReadValue {
  const takes = choiceText(choice);
  if (takes !== undefined) {
    const chosen = chosenIn(choice, value);
    return chosen === undefined ? { ok: false, takes: `one of ${takes}` } : { ok: true, value: chosen };
  }
  const rule = format === undefined ? undefined : FORMATS[format];
  if (rule?.schema.safeParse(value).success === false) return { ok: false, takes: rule.takes };
  const length = [...value].length;
  const fits = isWithin(length, minLength, maxLength);
  return fits ? { ok: true, value } : { ok: false, takes: `${rangeText(minLength, maxLength)} characters` };
}

function readNumber(given: unknown, { type, minimum, maximum }: SchemaOf<'number' | 'integer'>): ReadValue {
  const isNumeral = typeof given === 'string' && given.trim() !== '';
  const value = isNumeral || typeof given === 'number' ? Number(given) : Number.NaN;
  const isOne = type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (isOne && isWithin(value, minimum, maximum)) return { ok: true, value };
  const noun = type === 'integer' ? 'a whole number' : 'a number';
  const hasBounds = minimum !== undefined || maximum !== undefined;
  return { ok: false, takes: hasBounds ? `${noun}, ${rangeText(minimum, maximum)}` : noun };
}

function readList(given: unknown, { items, minItems, maxItems }: SchemaOf<'array'>): ReadValue {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (!list.every(isPlain)) return { ok: false, takes: 'a list of texts' };
  const words = Array.isArray(given) ? given.map(String) : String(given).split(',');
  const texts = words.map((it) => it.trim()).filter((it) => it !== '');
  const takes = choiceText(items);
  const value = texts.flatMap((it) => (takes === undefined ? [it] : (chosenIn(items, it) ?? [])));
  if (takes !== undefined && value.length < texts.length) return { ok: false, takes: `some of ${takes}` };
  const fits = isWithin(value.length, minItems, maxItems);
  return fits ? { ok: true, value } : { ok: false, takes: `${rangeText(minItems, maxItems)} values` };
}

interface Choice {
  readonly enum?: readonly string[] | undefined;
  readonly enumNames?: readonly string[] | undefined;
}

/** Returns the chosen value. People may also answer with the text that they were shown. */
function chosenIn({ enum: given = [], enumNames: names = [] }: Choice, text: string): string | undefined {
  return given.includes(text) ? text : given[names.indexOf(text)];
}

/** Returns the choices as text; `undefined` when any answer is allowed. */
export function choiceText({ enum: given, enumNames: names = [] }: Choice): string | undefined {
  return given?.map((value, index) => withoutHidden(names[index] ?? value)).join(', ');
}

function isWithin(value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return value >= least && value <= most;
}

function rangeText(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return least === most ? `${least}` : `${least} to ${most}`;
  return least === undefined ? `at most ${most}` : `at least ${least}`;
}

const NO = new Set(['no', 'nope', 'nein', 'false', 'stop', 'never', 'decline', 'cancel', 'reject', 'refuse']);
const YES = new Set(['yes', 'yeah', 'ja', 'true', 'ok', 'okay', 'sure', 'accept', 'approve', 'confirm']);
/** Words that may follow without changing a yes or a no. */
const POLITE = new Set(['thanks', 'thank', 'you', 'please']);
/** Words that make a no clearer, and a yes unclear. */
const REFUSING = new Set(['dont', 'do', 'not', 'it', 'that', 'this', 'way', 'never', 'stop', 'cancel', 'no']);

/** What a text means as the answer to a question. */
type Consent = 'yes' | 'no' | 'unclear';

/** Returns yes or no only if the whole text means it. Consent is never guessed: anything else is unclear. */
export function consentOf(text: string): Consent {
  const plain = text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[.,;!]/g, ' ')
    .trim();
  const [first = '', ...others] = plain === 'do not' || plain === 'dont' ? ['no'] : plain.split(/\s+/);
  if (YES.has(first) && others.every((word) => POLITE.has(word))) return 'yes';
  if (NO.has(first) && others.every((word) => POLITE.has(word) || REFUSING.has(word))) return 'no';
  return 'unclear';
}
