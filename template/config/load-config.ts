// config.yaml and the environment become one checked configuration, or a list of all problems.
import { existsSync, readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { type Config, configSchema } from './config-schema.ts';

type Environment = Record<string, string | undefined>;
type Path = readonly string[];

/** The configuration is not right. The message lists every problem on a line of its own, and never a value. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super([`The configuration is not right (${problems.length}):`, ...problems].join('\n  - '));
  }
}

/** Reads .env and the file (`CONFIG_FILE`, or config.yaml) of this folder. Throws ConfigError. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const file = process.env.CONFIG_FILE ?? 'config.yaml';
  if (!existsSync(file)) throw new ConfigError([`${file} does not exist`]);
  return parseConfig(readFileSync(file, 'utf8'), process.env);
}

/** Throws ConfigError. What the environment says replaces what the text says; an empty variable says nothing. */
export function parseConfig(text: string, environment: Environment): Config {
  const document = parseDocument(text);
  // Only the first line: what follows is a piece of the file, and that may hold the secret.
  const unreadable = document.errors.map(({ message }) => `the file is not YAML: ${message.split(':\n')[0]}`);
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const values: unknown = document.toJS({ reviver: (_key, value) => value ?? undefined }) ?? {};
  const overridden = new Map<string, string>();
  const inFile = secretIn(values);
  for (const { path, leaf } of leaves(configSchema)) {
    const name = variableNames(path).find((it) => (environment[it] ?? '') !== '');
    if (name !== undefined && put(values, path, typed(environment[name] ?? '', leaf)))
      overridden.set(path.join('.'), name);
  }
  const { data, error } = configSchema.safeParse(values);
  const problems = (error?.issues ?? []).flatMap(sentences).map(([path, problem]) => {
    const [, source] = [...overridden].find(([key]) => `${path}.`.startsWith(`${key}.`)) ?? [];
    return `${path || 'the file'} ${problem}${source === undefined ? '' : ` (it comes from ${source})`}`;
  });
  // It is unknown which of two secrets is meant, and the wrong one signs everyone out.
  const source = overridden.get(SECRET_KEY);
  if ((inFile ?? '') !== '' && source !== undefined)
    problems.push(`${SECRET_KEY} is in the file and in ${source} (the environment or .env): leave one of them empty`);
  if (data === undefined || problems.length > 0) throw new ConfigError(problems);
  return data;
}

const SECRET_KEY = 'security.jwt.secret';
/** The secret in the file, if any. */
const secretIn = (values: unknown): unknown =>
  z.object({ security: z.object({ jwt: z.object({ secret: z.unknown() }) }) }).safeParse(values).data?.security.jwt
    .secret;

/** `api.cors.origins` is APP_API_CORS_ORIGINS, `app.name` APP_NAME; the secret has the name that hosts know, too. */
function variableNames(path: Path): readonly string[] {
  const words = path.map((it) => it.replaceAll(/[A-Z]/g, '_$&').toUpperCase()).join('_');
  const name = words.startsWith('APP_') ? words : `APP_${words}`;
  return name === 'APP_SECURITY_JWT_SECRET' ? [name, 'JWT_SECRET'] : [name];
}

function leaves(schema: unknown, path: Path = []): { path: Path; leaf: unknown }[] {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) return leaves(schema.unwrap(), path);
  if (!(schema instanceof z.ZodObject)) return [{ path, leaf: schema }];
  return Object.entries(schema.shape).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function typed(text: string, leaf: unknown): unknown {
  if (leaf instanceof z.ZodNumber) return text.trim() === '' ? text : Number(text);
  if (leaf instanceof z.ZodBoolean) return { true: true, false: false }[text] ?? text;
  if (leaf instanceof z.ZodArray) return text.split(',').map((it) => it.trim());
  return text;
}

function put(target: unknown, [key = '', ...rest]: Path, value: unknown): boolean {
  const isGroup = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null;
  if (!isGroup(target)) return false;
  if (rest.length > 0) {
    target[key] ??= {};
    return put(target[key], rest, value);
  }
  target[key] = value;
  return true;
}

function sentences(issue: z.core.$ZodIssue): (readonly [string, string])[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => [[...issue.path, key].join('.'), 'is not a setting'] as const);
  const isShape = issue.code === 'invalid_type' && issue.expected === 'object';
  return [[issue.path.join('.'), isShape ? 'must be a group of settings' : issue.message]];
}
