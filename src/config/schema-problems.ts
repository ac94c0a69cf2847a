// Converts schema issues to sentences with a fix, at the place of the value or key.
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import type { ConfigPath } from './config-file.ts';
import type { ConfigPlace, ConfigProblem } from './config-problem.ts';

/** Finds the place of a value, or of a key in the map at `path`. */
interface Places {
  placeOf(path: ConfigPath): ConfigPlace;
  placeOfKey(path: ConfigPath, key: string): ConfigPlace;
}

type Issue = z.core.$ZodIssue;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of settings',
  record: 'a map of settings',
};

const FIXES: Readonly<Record<string, string>> = {
  'auth.jwt_secret': 'Make one with: openssl rand -base64 48',
  'server.header_timeout_seconds':
    'Lower it (10 unless given), or raise server.request_timeout_seconds (30 unless given).',
  'database.url':
    'For the built-in database leave it out; for PostgreSQL use postgres://user:password@host:5432/name',
};

export function toProblems(
  issue: Issue,
  {
    schema,
    values,
    places,
  }: { readonly schema: z.ZodType; readonly values: unknown; readonly places: Places },
): readonly ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeysAt(schema, issue.path);
    return issue.keys.map((key) => unknownKey(key, known, places.placeOfKey(issue.path, key)));
  }
  return [{ place: places.placeOf(issue.path), ...describe(issue, valueAt(values, issue.path)) }];
}

function unknownKey(key: string, known: readonly string[], place: ConfigPlace): ConfigProblem {
  const meant = closestTo(key, known);
  const fix =
    meant === undefined ? `Remove it. Known here: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  return { place, message: `Unknown key "${key}".`, fix };
}

function describe(issue: Issue, value: unknown): { readonly message: string; readonly fix: string } {
  const name = nameOf(issue.path);
  const fix = FIXES[name] ?? `config.example.yaml shows how ${name} is written.`;
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined || value === null
        ? { message: `${name} is missing.`, fix: `Add it: ${TYPE_NAMES[issue.expected] ?? issue.expected}.` }
        : { message: `${name} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}.`, fix };
    case 'invalid_value':
      return wrongChoice(name, issue.values.map(String), value);
    case 'too_small':
      return { message: `${name}: ${bounded(issue, `at least ${issue.minimum}`)}.`, fix };
    case 'too_big':
      return { message: `${name}: ${bounded(issue, `at most ${issue.maximum}`)}.`, fix };
    default:
      return { message: `${name}: ${issue.message.replace(/\.$/, '')}.`, fix };
  }
}

function wrongChoice(name: string, choices: readonly string[], value: unknown) {
  const message = `${name} must be one of ${choices.join(', ')}.`;
  const meant = typeof value === 'string' ? closestTo(value, choices) : undefined;
  return { message, fix: meant === undefined ? 'Write one of them.' : `Did you mean "${meant}"?` };
}

/** Prefers the schema's own message to ours, and ours to zod's default. */
function bounded(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, limit: string): string {
  if (!/^Too (small|big)/.test(issue.message)) return issue.message.replace(/\.$/, '');
  if (issue.origin === 'string') return `must have ${limit} characters`;
  if (issue.origin === 'array') return `must have ${limit} entries`;
  return `must be ${limit}`;
}

/** Returns the path as people write it, such as `models[0].name`. */
function nameOf(path: ConfigPath): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.join('').replace(/^\./, '');
}

export function valueAt(values: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    values,
  );
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Returns the keys that the schema knows at `path`. Empty where any key is allowed. */
function knownKeysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let current: JsonSchema | undefined = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const segment of path) {
    if (current === undefined) return [];
    current = typeof segment === 'number' ? itemsOf(current) : propertyOf(current, String(segment));
  }
  return Object.keys(current?.properties ?? {});
}

/**
 * Returns the candidate of which `text` is probably a typo: reordered, or with at most one wrong letter in
 * three.
 */
function closestTo(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, away: slips(normal(text), normal(candidate)) }))
    .sort((a, b) => a.away - b.away);
  const best = ranked[0];
  return best !== undefined && best.away <= Math.max(1, text.length / 3) ? best.candidate : undefined;
}

function slips(text: string, candidate: string): number {
  const isReordered = sortedLetters(text) === sortedLetters(candidate) && text !== candidate;
  return isReordered ? 1 : distance(text, candidate);
}

function sortedLetters(text: string): string {
  return [...text].sort().join('');
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/[-_ ]/g, '');
}

function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  const items = schema.items;
  return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

function propertyOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  const property = schema.properties?.[key];
  return typeof property === 'object' ? property : undefined;
}
