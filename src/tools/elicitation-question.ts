// A form that a tool server asks the person to fill in, as a question in words, and the answer in words as its fields.
import { z } from 'zod';
import type { Elicitation, ElicitationAnswer, ElicitationField } from '../mcp/connections/elicitation.ts';
import type { Json } from '../messages/message.ts';

/** What any client can show and answer; programs may answer with an object of the fields. */
export function elicitationQuestion(
  server: string,
  { message, requestedSchema }: Elicitation,
  problem?: string,
): string {
  const required = new Set(requestedSchema.required);
  const fields = Object.entries(requestedSchema.properties);
  const lines = fields.map(([name, field]) => `- ${name}: ${described(field, required.has(name))}`);
  const how = HOW[Math.min(fields.length, 2)] ?? '';
  return [
    ...(problem === undefined ? [] : [problem]),
    `The tool server ${server} asks: ${message}`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    how,
  ].join('\n\n');
}

/** For no field, one field and more. */
const HOW = [
  'Answer yes or no.',
  'Answer with its value, or with no to decline.',
  'Answer with one line for each, such as "name: value", or with no to decline.',
] as const;

function described(
  { type = 'string', title, description, enum: values }: ElicitationField,
  needed: boolean,
): string {
  const what = [title, description].filter((it) => it !== undefined && it !== '').join('. ');
  const kind = values === undefined ? type : `one of ${values.join(', ')}`;
  return `${what === '' ? '' : `${what} `}(${kind}${needed ? ', needed' : ''})`;
}

type Content = Extract<ElicitationAnswer, { action: 'accept' }>['content'];

export type ReadAnswer =
  | { readonly ok: true; readonly answer: ElicitationAnswer }
  /** A sentence for the person. */
  | { readonly ok: false; readonly problem: string };

const action = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.unknown().optional(),
});
const NO = /^(no|decline|cancel|reject)\.?$/i;
const YES = /^(yes|ok|accept|approve)\.?$/i;

/** Words, an object of fields, or `{action, content}` as the protocol has it. */
export function readElicitationAnswer(given: Json, asked: Elicitation): ReadAnswer {
  const read = action.safeParse(given);
  if (read.success && read.data.action !== 'accept')
    return { ok: true, answer: { action: read.data.action } };
  if (typeof given === 'string' && NO.test(given.trim())) return { ok: true, answer: { action: 'decline' } };
  return acceptedFields(read.success ? read.data.content : given, asked);
}

function acceptedFields(given: unknown, { requestedSchema }: Elicitation): ReadAnswer {
  const { properties, required = [] } = requestedSchema;
  const fields = fieldsIn(given, Object.keys(properties));
  const content: Content = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = fields.get(name);
    if (value === undefined || value === '') continue;
    const read = fieldValue(value, field);
    if (read === undefined) {
      return { ok: false, problem: `"${name}" must be ${described(field, false).slice(0, 300)}.` };
    }
    content[name] = read;
  }
  const missing = required.filter((name) => !Object.hasOwn(content, name));
  if (missing.length > 0) return { ok: false, problem: `Still needed: ${missing.join(', ')}.` };
  return { ok: true, answer: { action: 'accept', content } };
}

function fieldsIn(given: unknown, names: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return new Map(Object.entries(given));
  const text = String(given ?? '').trim();
  const object = jsonObjectIn(text);
  if (object !== undefined) return new Map(Object.entries(object));
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
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function fieldValue(
  given: unknown,
  { type = 'string', enum: values }: ElicitationField,
): Content[string] | undefined {
  switch (type) {
    case 'string':
      return values === undefined || values.includes(String(given)) ? String(given) : undefined;
    case 'number':
      return Number.isFinite(Number(given)) ? Number(given) : undefined;
    case 'integer':
      return Number.isInteger(Number(given)) ? Number(given) : undefined;
    case 'boolean':
      return truth(String(given));
    case 'array':
      return (Array.isArray(given) ? given : String(given).split(',')).map((it) => String(it).trim());
    default:
      return type satisfies never;
  }
}

function truth(text: string): boolean | undefined {
  if (text === 'true' || YES.test(text)) return true;
  return text === 'false' ? false : undefined;
}
