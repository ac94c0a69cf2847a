// Reads the YAML file as values with places. References are resolved in the syntax tree, not the text.
import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import { isFields } from '../json/unknown-json.ts';
import type { ConfigPlace, ConfigProblem } from './config-problem.ts';
import { type Environment, resolveReferences } from './references.ts';

export type ConfigPath = readonly PropertyKey[];

export interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>;
  /** The environment variables that the file refers to. */
  readonly variables: readonly string[];
  /**
   * Returns the place of the value at the path. If it is missing, the place of the nearest enclosing value.
   */
  placeOf(path: ConfigPath): ConfigPlace;
  /** Returns the place of the key itself. */
  placeOfKey(path: ConfigPath, key: string): ConfigPlace;
  readonly problems: readonly ConfigProblem[];
}

/** Reads the file. A missing file has no values, and is a problem only if the operator named it. */
export function readConfigFile(
  file: { readonly path: string; readonly shownAs: string; readonly isAskedFor: boolean },
  environment: Environment,
): ConfigFile {
  let text = '';
  try {
    text = readFileSync(file.path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || file.isAskedFor) {
      return withoutValues(file.shownAs, {
        place: { kind: 'environment', name: 'CONFIG_FILE' },
        message: `The configuration file ${file.shownAs} cannot be read.`,
        fix: 'Correct CONFIG_FILE, or make the file readable (config.example.yaml is a template).',
      });
    }
  }
  return parseConfigText(text, file.shownAs, environment);
}

function parseConfigText(text: string, shownAs: string, environment: Environment): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const placeAt = (offset: number): ConfigPlace => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', file: shownAs, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    place: placeAt(pos[0]),
    message: `${message.replace(/\.?$/, '')}.`,
    fix: 'Correct the YAML at this place.',
  }));
  if (syntax.length > 0) return { ...withoutValues(shownAs), problems: syntax };
  const { problems, variables } = resolveIn(document, environment, placeAt);
  return {
    ...valuesOf(document, shownAs, problems),
    variables,
    placeOf: (path) => placeAt(offsetOf(document, path)),
    placeOfKey: (path, key) => placeAt(keyOffsetOf(document, path, key)),
  };
}

function resolveIn(
  document: Document,
  environment: Environment,
  placeAt: (offset: number) => ConfigPlace,
): Pick<ConfigFile, 'problems' | 'variables'> {
  const variables: string[] = [];
  const problems: ConfigProblem[] = [];
  visit(document, {
    Scalar: (key, node: Scalar) => {
      if (key === 'key' || typeof node.value !== 'string') return;
      const resolved = resolveReferences(node.value, environment);
      node.value = resolved.text;
      variables.push(...resolved.names);
      for (const name of resolved.missing) {
        problems.push({
          place: placeAt(node.range?.[0] ?? 0),
          message: `The environment variable ${name} is not set.`,
          fix: `Set ${name}, or write $$${name} for the literal text.`,
        });
      }
    },
  });
  return { problems, variables };
}

function valuesOf(document: Document, shownAs: string, problems: readonly ConfigProblem[]) {
  const place: ConfigPlace = { kind: 'file', file: shownAs, line: 1, column: 1 };
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 });
    if (values === null) return { values: {}, problems };
    if (isFields(values)) return { values, problems };
  } catch {
    return withoutValues(shownAs, {
      place,
      message: 'The file repeats itself through too many aliases.',
      fix: 'Write the values out instead of using YAML aliases.',
    });
  }
  return withoutValues(shownAs, {
    place,
    message: 'The file is not a map of settings.',
    fix: 'Write settings as "key: value" lines, as in config.example.yaml.',
  });
}

function withoutValues(shownAs: string, ...problems: readonly ConfigProblem[]): ConfigFile {
  const place: ConfigPlace = { kind: 'file', file: shownAs, line: 1, column: 1 };
  return { values: {}, variables: [], problems, placeOf: () => place, placeOfKey: () => place };
}

function offsetOf(document: Document, path: ConfigPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function keyOffsetOf(document: Document, path: ConfigPath, key: string): number {
  const map: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(map)) return offsetOf(document, path);
  const found = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key;
  return isScalar(found) && found.range ? found.range[0] : offsetOf(document, path);
}
