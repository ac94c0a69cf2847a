// The form that a tool server asks the person to fill in, off the wire.
import * as z from 'zod/mini';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface FieldBase {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

export const TEXT_TYPES = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
} as const;
export type TextFormat = keyof typeof TEXT_TYPES;

export type AskedField = FieldBase &
  (
    | {
        readonly kind: 'text';
        readonly format: TextFormat | undefined;
        readonly least: number | undefined;
        readonly most: number | undefined;
        readonly initial: string;
      }
    | {
        readonly kind: 'number';
        readonly isWhole: boolean;
        readonly least: number | undefined;
        readonly most: number | undefined;
        readonly initial: string;
      }
    | { readonly kind: 'yes-or-no'; readonly initial: boolean }
    | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly initial: string }
    | {
        readonly kind: 'several';
        /** Undefined when the person writes free text, one entry per line. */
        readonly choices: readonly Choice[] | undefined;
        readonly least: number | undefined;
        readonly most: number | undefined;
        readonly initial: readonly string[];
      }
  );

export interface AskedForm {
  /** The tool server that asks. */
  readonly server: string;
  readonly message: string;
  /** Why the service rejected the last answer. */
  readonly problem: string | undefined;
  readonly fields: readonly AskedField[];
}

const count = z.optional(z.number());
const about = { title: z.optional(z.string()), description: z.optional(z.string()) };
const choice = { enum: z.optional(z.array(z.string())), enumNames: z.optional(z.array(z.string())) };
const bounds = { minimum: count, maximum: count, default: count };

const fieldSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('string'),
    ...about,
    ...choice,
    format: z.optional(z.enum(['email', 'uri', 'date', 'date-time'])),
    minLength: count,
    maxLength: count,
    default: z.optional(z.string()),
  }),
  z.object({ type: z.literal('number'), ...about, ...bounds }),
  z.object({ type: z.literal('integer'), ...about, ...bounds }),
  z.object({ type: z.literal('boolean'), ...about, default: z.optional(z.boolean()) }),
  z.object({
    type: z.literal('array'),
    ...about,
    items: z.object(choice),
    minItems: count,
    maxItems: count,
    default: z.optional(z.array(z.string())),
  }),
]);
type FieldSchema = z.infer<typeof fieldSchema>;

const formSchema = z.object({
  human_input: z.object({
    input_mode: z.literal('form'),
    server: z.string(),
    message: z.string(),
    requested_schema: z.object({
      properties: z.record(z.string(), fieldSchema),
      required: z.optional(z.array(z.string())),
    }),
    problem: z.optional(z.nullable(z.string())),
  }),
});

/** Returns undefined for anything that is not a form or has unknown fields. */
export function readAskedForm(value: unknown): AskedForm | undefined {
  const parsed = formSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { server, message, problem, requested_schema } = parsed.data.human_input;
  const { properties, required = [] } = requested_schema;
  return {
    server,
    message,
    problem: problem ?? undefined,
    fields: Object.entries(properties).map(([name, schema]) => ({
      name,
      label: labelOf(name, schema.title),
      description: schema.description === '' ? undefined : schema.description,
      isRequired: required.includes(name),
      ...kindOf(schema),
    })),
  };
}

function labelOf(name: string, title = ''): string {
  return title.trim() === '' ? name : title;
}

type Kind<Field> = Field extends AskedField ? Omit<Field, keyof FieldBase> : never;

function kindOf(schema: FieldSchema): Kind<AskedField> {
  switch (schema.type) {
    case 'string': {
      const initial = schema.default ?? '';
      const choices = choicesOf(schema);
      if (choices !== undefined) return { kind: 'choice', choices, initial };
      const { format, minLength: least, maxLength: most } = schema;
      return {
        kind: 'text',
        format,
        least,
        most,
        initial: format === 'date-time' ? localTime(initial) : initial,
      };
    }
    case 'number':
    case 'integer': {
      const { type, minimum: least, maximum: most, default: given } = schema;
      const initial = given === undefined ? '' : String(given);
      return { kind: 'number', isWhole: type === 'integer', least, most, initial };
    }
    case 'boolean':
      return { kind: 'yes-or-no', initial: schema.default ?? false };
    case 'array': {
      const { items, minItems: least, maxItems: most, default: initial = [] } = schema;
      return { kind: 'several', choices: choicesOf(items), least, most, initial };
    }
    default:
      return schema satisfies never;
  }
}

interface GivenChoice {
  readonly enum?: readonly string[] | undefined;
  readonly enumNames?: readonly string[] | undefined;
}

function choicesOf({ enum: values, enumNames = [] }: GivenChoice): readonly Choice[] | undefined {
  return values?.map((value, index) => ({ value, label: labelOf(value, enumNames[index]) }));
}

/** Converts to the format of an input for date and time: local time, without seconds. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
