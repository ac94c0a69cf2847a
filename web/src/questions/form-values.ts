// The values of a tool server's form, and their validation.
import * as z from 'zod/mini';
import type { AskedField, TextFormat } from '../conversation/asked-form.ts';

type FieldOf<Kind extends AskedField['kind']> = Extract<AskedField, { kind: Kind }>;

/** The raw input values, keyed by field name. */
export type FormValue = string | boolean | readonly string[];
export type FormValues = ReadonlyMap<string, FormValue>;

export function initialValues(fields: readonly AskedField[]): FormValues {
  return new Map(fields.map(({ name, initial }) => [name, initial]));
}

type Content = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type ReadForm =
  | { readonly ok: true; readonly content: Content }
  /** Sentences, keyed by field name and in the order of the fields. */
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> };

/** Reads and validates the values. Omits optional fields that are empty. */
export function readForm(fields: readonly AskedField[], values: FormValues): ReadForm {
  const content = new Map<string, Content[string]>();
  const problems = new Map<string, string>();
  for (const field of fields) {
    const read = readField(field, values.get(field.name) ?? field.initial);
    if (read.kind === 'value') content.set(field.name, read.value);
    else if (read.kind === 'problem') problems.set(field.name, read.problem);
    else if (field.isRequired) problems.set(field.name, MISSING[field.kind]);
  }
  return problems.size > 0 ? { ok: false, problems } : { ok: true, content: Object.fromEntries(content) };
}

type ReadField =
  | { readonly kind: 'value'; readonly value: Content[string] }
  | { readonly kind: 'empty' }
  | { readonly kind: 'problem'; readonly problem: string };

const EMPTY = { kind: 'empty' } as const;
const MISSING: Readonly<Record<AskedField['kind'], string>> = {
  text: 'Fill in this field.',
  number: 'Enter a number.',
  'yes-or-no': 'Choose yes or no.',
  choice: 'Choose one.',
  several: 'Choose at least one.',
};

function readField(field: AskedField, value: FormValue): ReadField {
  switch (field.kind) {
    case 'text':
      return readText(field, String(value));
    case 'number':
      return readNumber(field, String(value).trim());
    case 'yes-or-no':
      return { kind: 'value', value: value === true };
    case 'choice':
      return value === '' ? EMPTY : { kind: 'value', value: String(value) };
    case 'several':
      return readSeveral(field, linesOf(value));
    default:
      return field satisfies never;
  }
}

const FORMATS = {
  email: { schema: z.email(), problem: 'Enter an e-mail address, such as name@example.com.' },
  uri: { schema: z.url(), problem: 'Enter an address, such as https://example.com.' },
  date: { schema: z.iso.date(), problem: 'Enter a date.' },
  'date-time': { schema: z.iso.datetime({ offset: true }), problem: 'Enter a date and a time.' },
} as const satisfies Record<TextFormat, unknown>;

function readText({ format, least, most }: FieldOf<'text'>, typed: string): ReadField {
  if (typed.trim() === '') return EMPTY;
  const value = format === 'date-time' ? wholeTime(typed) : typed;
  const rule = format === undefined ? undefined : FORMATS[format];
  if (rule?.schema.safeParse(value).success === false) return { kind: 'problem', problem: rule.problem };
  const range = rangeText([...value].length, least, most);
  return range === undefined
    ? { kind: 'value', value }
    : { kind: 'problem', problem: `Enter ${range} characters.` };
}

function wholeTime(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

function readNumber({ isWhole, least, most }: FieldOf<'number'>, typed: string): ReadField {
  if (typed === '') return EMPTY;
  const value = Number(typed);
  const isOne = isWhole ? Number.isInteger(value) : Number.isFinite(value);
  const noun = isWhole ? 'a whole number' : 'a number';
  const range = isOne ? rangeText(value, least, most) : undefined;
  if (isOne && range === undefined) return { kind: 'value', value };
  return { kind: 'problem', problem: range === undefined ? `Enter ${noun}.` : `Enter ${noun}, ${range}.` };
}

function readSeveral(field: FieldOf<'several'>, values: readonly string[]): ReadField {
  const { choices, least, most } = field;
  if (values.length === 0 && (least ?? 0) > 0) return EMPTY;
  const range = rangeText(values.length, least, most);
  const what = choices === undefined ? `Enter ${range}, one per line.` : `Choose ${range}.`;
  return range === undefined ? { kind: 'value', value: values } : { kind: 'problem', problem: what };
}

function linesOf(value: FormValue): readonly string[] {
  if (typeof value === 'object') return value.map((it) => it.trim()).filter((it) => it !== '');
  return [];
}

/** Describes the range that the number must be in. Undefined when it is in range. */
function rangeText(value: number, least: number | undefined, most: number | undefined): string | undefined {
  if (value >= (least ?? value) && value <= (most ?? value)) return undefined;
  if (least !== undefined && most !== undefined) return least === most ? `${least}` : `${least} to ${most}`;
  return least === undefined ? `at most ${most}` : `at least ${least}`;
}
