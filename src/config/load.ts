// Loads the configuration from the YAML file and the environment, or reports all of its problems together.
import { isAbsolute, resolve } from 'node:path';
import { type ConfigFile, type ConfigPath, readConfigFile } from './config-file.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type EnvironmentValue, environmentValues, unsupportedSettings } from './environment-values.ts';
import type { Environment } from './references.ts';
import { type Config, configSchema } from './schema.ts';
import { toProblems, valueAt } from './schema-problems.ts';

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** The environment of this process. Nothing else reads `process.env`. */
export function processEnvironment(): Environment {
  return { ...process.env };
}

/**
 * The environment overrides the file. Paths are relative to `cwd`. Unknown keys, wrong values, missing
 * variables and bad YAML are reported together, so that the operator can correct them all in one go.
 */
export function loadConfig(environment: Environment, cwd: string): LoadedConfig {
  const asked = environment.CONFIG_FILE?.trim() ?? '';
  const shownAs = asked === '' ? 'config.yaml' : asked;
  const configFile = resolve(cwd, shownAs);
  const file = readConfigFile({ path: configFile, shownAs, isAskedFor: asked !== '' }, environment);
  const settings = environmentValues(environment);
  const values = structuredClone(file.values);
  for (const { path, value } of settings) setAt(values, path, value);
  const before = [...unsupportedSettings(environment), ...file.problems];
  const parsed = parseValues(values);
  if (parsed.success && before.length === 0)
    return { ok: true, config: toConfig(parsed.data, cwd, { configFile, variables: file.variables }) };
  const places = placesWith(file, settings);
  const issues = parsed.success ? [] : parsed.error.issues;
  const wrong = issues.flatMap((issue) => toProblems(issue, { schema: configSchema, values, places }));
  return { ok: false, problems: inReadingOrder(withoutEchoes(before, wrong)) };
}

/** Parses the values. Converts text from variables to the number or boolean that the schema expects. */
function parseValues(values: object) {
  const first = configSchema.safeParse(values);
  if (first.success) return first;
  let changed = false;
  for (const issue of first.error.issues) {
    if (issue.code !== 'invalid_type') continue;
    const typed = typedValue(valueAt(values, issue.path), issue.expected);
    if (typed === undefined) continue;
    setAt(values, issue.path, typed);
    changed = true;
  }
  return changed ? configSchema.safeParse(values) : first;
}

function typedValue(value: unknown, expected: string): number | boolean | undefined {
  if (typeof value !== 'string') return undefined;
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = (expected === 'number' || expected === 'int') && /^-?\d+(\.\d+)?$/.test(value.trim());
  return isNumber ? Number(value) : undefined;
}

type FileParts = Pick<Config, 'configFile' | 'variables'>;

function toConfig(
  parsed: ReturnType<typeof configSchema.parse>,
  cwd: string,
  { configFile, variables }: FileParts,
): Config {
  const { data_home, database, ...slices } = parsed;
  const dataHome = resolve(cwd, data_home);
  const { public_folder: publicFolder } = slices.skills;
  const skills = { ...slices.skills, ...(publicFolder && { public_folder: resolve(cwd, publicFolder) }) };
  const url =
    database === undefined ? `sqlite:${resolve(dataHome, 'service.db')}` : absoluteUrl(database.url, cwd);
  return deepFreeze({ ...slices, skills, dataHome, configFile, variables, database: { ...database, url } });
}

function absoluteUrl(url: string, cwd: string): string {
  const path = /^sqlite:(?!:memory:)(.+)$/s.exec(url)?.[1];
  return path === undefined || isAbsolute(path) ? url : `sqlite:${resolve(cwd, path)}`;
}

function placesWith(file: ConfigFile, settings: readonly EnvironmentValue[]) {
  const nameFor = (path: ConfigPath) =>
    settings.find((setting) => setting.path.every((key, index) => key === path[index]))?.name;
  return {
    placeOf: (path: ConfigPath) => {
      const name = nameFor(path);
      return name === undefined ? file.placeOf(path) : ({ kind: 'environment', name } as const);
    },
    placeOfKey: file.placeOfKey,
  };
}

/** Drops problems at places that already have one: a missing variable is not also a wrong value. */
function withoutEchoes(
  before: readonly ConfigProblem[],
  wrong: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  const knownPlaces = new Set(before.map(({ place }) => JSON.stringify(place)));
  return [...before, ...wrong.filter(({ place }) => !knownPlaces.has(JSON.stringify(place)))];
}

function inReadingOrder(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const rank = ({ place }: ConfigProblem) => (place.kind === 'file' ? place.line * 10_000 + place.column : 0);
  return problems.toSorted((a, b) => rank(a) - rank(b));
}

/** Sets a nested value. Leaves a parent that is not a map for the schema to refuse. */
function setAt(values: object, path: ConfigPath, value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    Reflect.set(values, key, value);
    return;
  }
  const inner: unknown = Reflect.get(values, key) ?? {};
  if (typeof inner !== 'object' || inner === null) return;
  Reflect.set(values, key, inner);
  setAt(inner, rest, value);
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
