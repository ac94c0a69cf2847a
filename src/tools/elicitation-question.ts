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
const NO = new Set(['no', 'nope', 'nein', 'false', 'stop', 'never', 'decline', 'cancel', 'reject', 'refuse']);
const YES = new Set(['yes', 'yeah', 'ja', 'true', 'ok', 'okay', 'sure', 'accept', 'approve', 'confirm']);
/** What may follow without changing a yes or a no. */
const POLITE = new Set(['thanks', 'thank', 'you', 'please']);
/** These make a no clearer, and a yes no longer one. */
const REFUSING = new Set(['dont', 'do', 'not', 'it', 'that', 'this', 'way', 'never', 'stop', 'cancel', 'no']);

type Consent = 'yes' | 'no' | 'unclear';

/** Whether all of a text is a yes or a no: anything else is asked again, as nobody's consent is guessed. */
function consentOf(text: string): Consent {
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

/** Words, an object of fields, or `{action, content}` as the protocol has it. */
export function readElicitationAnswer(given: Json, asked: Elicitation): ReadAnswer {
  const value: unknown = typeof given === 'string' ? (jsonObjectIn(given.trim()) ?? given) : given;
  const read = action.safeParse(value);
  if (read.success) {
    const { action: chosen, content = {} } = read.data;
    return chosen === 'accept' ? acceptedFields(content, asked) : { ok: true, answer: { action: chosen } };
  }
  return statedAnswer(value, asked);
}

/** Consent that is said in words or in fields, and not as an action. */
function statedAnswer(given: unknown, asked: Elicitation): ReadAnswer {
  const consent = typeof given === 'object' ? 'unclear' : consentOf(String(given));
  if (consent === 'no') return { ok: true, answer: { action: 'decline' } };
  if (Object.keys(asked.requestedSchema.properties).length === 0) {
    return consent === 'yes'
      ? { ok: true, answer: { action: 'accept', content: {} } }
      : { ok: false, problem: 'Answer yes or no.' };
  }
  const read = acceptedFields(given, asked);
  if (!read.ok || read.answer.action !== 'accept') return read;
  const isEmpty = Object.keys(read.answer.content).length === 0;
  return isEmpty ? { ok: false, problem: 'The answer has none of the fields.' } : read;
}

function acceptedFields(given: unknown, { requestedSchema }: Elicitation): ReadAnswer {
  const { properties, required = [] } = requestedSchema;
  const fields = fieldsIn(given, Object.keys(properties));
  const content: Content = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = fields.get(name);
    if (value === undefined || value === null || value === '') continue;
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
  const consent = consentOf(text);
  return consent === 'unclear' ? undefined : consent === 'yes';
}
