// What the schema found wrong, as sentences with a fix, at the place where it was written.
import type { z } from 'zod';
import type { ConfigPath } from './config-file.ts';
import type { ConfigPlace, ConfigProblem } from './config-problem.ts';
import { closestTo, knownKeysAt } from './known-keys.ts';

/** Finds the place of a value, or of a key in the map at `path`. */
export interface Places {
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

/** A schema's own words are better than ours; zod's standard ones are not. */
function bounded(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, limit: string): string {
  if (!/^Too (small|big)/.test(issue.message)) return issue.message.replace(/\.$/, '');
  if (issue.origin === 'string') return `must have ${limit} characters`;
  if (issue.origin === 'array') return `must have ${limit} entries`;
  return `must be ${limit}`;
}

/** `models[0].name`, as people write it. */
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
