// A tool server's question to the person, in a form that any client can show, and the answer in text or in fields.

import { z } from 'zod';
import { isFields, jsonIn } from '../json/unknown-json.ts';
import type { ElicitationAnswer } from '../mcp/connections/connection.ts';
import type { Json, JsonObject } from '../messages/message.ts';
import {
  choiceText,
  consentOf,
  type ElicitationForm,
  type FieldSchema,
  type FieldValue,
  type FormField,
  readFieldValue,
  schemaOfForm,
} from './elicitation-form.ts';

interface Asked {
  /** The call during which the server asks. */
  readonly callId: string;
  /** Why the last answer was not accepted. */
  readonly problem: string | undefined;
}

/**
 * Returns the value of the interrupt, in the shape of other questions (`human_input`): `question` in words
 * for any client, and the form itself for clients that draw it. The answer is words, an object of the fields,
 * or `{action, content}`.
 */
export function elicitationRequest(form: ElicitationForm, { callId, problem }: Asked): JsonObject {
  return {
    human_input: {
      version: 1,
      kind: 'human_input_request',
      source: 'mcp_elicitation',
      request_id: callId,
      input_mode: 'form',
      question: questionText(form, problem),
      context: null,
      server: form.server,
      message: form.message,
      requested_schema: schemaOfForm(form),
      problem: problem ?? null,
    },
  };
}

function questionText({ server, message, fields }: ElicitationForm, problem: string | undefined): string {
  const lines = fields.map((field) => `- ${field.name}: ${described(field)}`);
  const how = HOW[Math.min(fields.length, 2)] ?? '';
  return [
    ...(problem === undefined ? [] : [problem]),
    `The tool server ${server} asks: ${message}`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    how,
  ].join('\n\n');
}

/** For no field, one field and several fields. */
const HOW = [
  'Answer yes or no.',
  'Answer with its value, or with no to decline.',
  'Answer with one line for each, such as "name: value", or with no to decline.',
] as const;

function described({ schema, isRequired }: FormField): string {
  const { title, description } = schema;
  const what = [title, description].filter((it) => it !== undefined && it !== '').join('. ');
  const kind = [kindOf(schema), ...(isRequired ? ['needed'] : []), ...defaultOf(schema)].join(', ');
  return `${what === '' ? '' : `${what} `}(${kind})`;
}

function kindOf(schema: FieldSchema): string {
  if (schema.type === 'array') {
    const choice = choiceText(schema.items);
    return choice === undefined ? 'array' : `some of ${choice}`;
  }
  const choice = schema.type === 'string' ? choiceText(schema) : undefined;
  return choice === undefined ? schema.type : `one of ${choice}`;
}

function defaultOf(schema: FieldSchema): readonly string[] {
  return schema.default === undefined ? [] : [`else ${schema.default}`];
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: ElicitationAnswer }
  /** A sentence for the person. */
  | { readonly ok: false; readonly problem: string };

const action = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.unknown().optional(),
});

/** Reads words, an object of fields, or the protocol's `{action, content}`. Missing fields get defaults. */
export function readElicitationAnswer(given: Json, form: ElicitationForm): ReadAnswer {
  const value: unknown = typeof given === 'string' ? (jsonObjectIn(given.trim()) ?? given) : given;
  const { success, data } = action.safeParse(value);
  if (success && data.action !== 'accept') return { ok: true, answer: { action: data.action } };
  if (success) return acceptedFields(data.content ?? {}, form, { mayBeEmpty: true });
  const consent = typeof value === 'object' ? 'unclear' : consentOf(String(value));
  if (consent === 'no') return { ok: true, answer: { action: 'decline' } };
  const isQuestion = form.fields.length === 0;
  if (isQuestion && consent !== 'yes') return { ok: false, problem: 'Answer yes or no.' };
  return acceptedFields(value, form, { mayBeEmpty: isQuestion });
}

function acceptedFields(
  given: unknown,
  { fields }: ElicitationForm,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): ReadAnswer {
  const names = fields.map(({ name }) => name);
  const values = fieldsIn(given, names);
  const content = new Map<string, FieldValue>();
  for (const { name, schema } of fields) {
    const value = values.get(name) ?? '';
    if (value === '') continue;
    const read = readFieldValue(value, schema);
    if (!read.ok) return { ok: false, problem: `"${name}" must be ${read.takes.slice(0, 300)}.` };
    content.set(name, read.value);
  }
  const others = fields.filter(({ name }) => !content.has(name));
  const missing = others.filter(({ isRequired, schema }) => isRequired && schema.default === undefined);
  if (missing.length > 0)
    return { ok: false, problem: `Still needed: ${missing.map(({ name }) => name).join(', ')}.` };
  if (content.size === 0 && !mayBeEmpty) return { ok: false, problem: 'The answer has none of the fields.' };
  for (const { name, schema } of others) if (schema.default !== undefined) content.set(name, schema.default);
  return { ok: true, answer: { action: 'accept', content: Object.fromEntries(content) } };
}

function fieldsIn(given: unknown, names: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return new Map(Object.entries(given));
  const text = typeof given === 'object' ? '' : String(given ?? '').trim();
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) {
    const own = `${only}:`;
    return new Map([[only, text.startsWith(own) ? text.slice(own.length).trim() : text]]);
  }
  return new Map(
    text.split('\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon === -1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
    }),
  );
}

function jsonObjectIn(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  const parsed = jsonIn(text);
  return isFields(parsed) ? parsed : undefined;
}
