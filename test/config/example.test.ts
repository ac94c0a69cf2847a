// config.example.yaml documents every key there is.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatProblems } from '../../src/config/config-problem.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema.ts';
import { PROVIDERS } from '../../src/models/model-options.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const STRONG_SECRET = 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6';

const ROOT = new URL('../../', import.meta.url).pathname;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Every key of the schema, as paths. */
function keysOf(schema: JsonSchema, path = ''): string[] {
  const items = typeof schema.items === 'object' && !Array.isArray(schema.items) ? schema.items : undefined;
  if (items !== undefined) return keysOf(items, path);
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const name = path === '' ? key : `${path}.${key}`;
    return typeof inner === 'object' ? [name, ...keysOf(inner, name)] : [name];
  });
}

/** The keys that stand in the text, commented out or not, as paths by indentation. */
function writtenKeys(text: string): Set<string> {
  const keys = new Set<string>();
  const open: { indent: number; key: string }[] = [];
  for (const line of text.split('\n')) {
    const match = /^(# )?( *)((?:# )?)(- )?([a-z_]+):(?: |$)/.exec(line);
    if (match === null) continue;
    const indent = (match[2] ?? '').length + (match[4] ?? '').length;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    open.push({ indent, key: match[5] ?? '' });
    keys.add(open.map(({ key }) => key).join('.'));
  }
  return keys;
}

/** Takes the comment sign from every line that is a setting, so that the whole example is tried. */
function uncommented(text: string): string {
  return text.replaceAll(/^(?:# (?= *(?:- )?[a-z_]+:(?: |$)| {2}.*\w)|( +)# (?=[a-z_]+: ))/gm, '$1');
}

describe('config.example.yaml', () => {
  it('[config.example] is a right configuration with the default values', () => {
    const loaded = loadConfig({ CONFIG_FILE: 'config.example.yaml' }, ROOT);
    if (!loaded.ok) throw new Error(formatProblems(loaded.problems));
    const bare = loadConfig({ CONFIG_FILE: '/dev/null' }, ROOT);
    if (!bare.ok) throw new Error(formatProblems(bare.problems));
    expect(loaded.config).toEqual({ ...bare.config, configFile: `${ROOT}config.example.yaml` });
  });

  it('[config.example] mentions every key of the schema', async () => {
    const text = await readFile(`${ROOT}config.example.yaml`, 'utf8');
    const keys = keysOf(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }));
    const written = writtenKeys(text);
    expect(keys.filter((key) => !written.has(key))).toEqual([]);
    expect(
      [...written].filter((key) => !keys.includes(key) && !/headers\.|thinking_enabled\./.test(key)),
    ).toEqual([]);
  });

  it('[config.example] names every provider of models and the variables with their keys', async () => {
    const text = await readFile(`${ROOT}config.example.yaml`, 'utf8');
    expect(text).toContain(`# ${PROVIDERS.join(', ')} or demo\n`);
    const readme = await readFile(`${ROOT}README.md`, 'utf8');
    const keys = [...readme.matchAll(/^\| `(\w+_API_KEY)`/gm)].map(([, name = '']) => name);
    expect(keys.length).toBeGreaterThan(4);
    const [, finds = ''] = /# Without this section, the service finds models from ([^.]*)\./.exec(text) ?? [];
    expect(keys.filter((key) => !finds.includes(key))).toEqual([]);
  });

  it('[config.example] names at its head every variable that overrides it', async () => {
    const [head = ''] = (await readFile(`${ROOT}config.example.yaml`, 'utf8')).split('\n\n');
    const readme = await readFile(`${ROOT}README.md`, 'utf8');
    const variables = [...readme.matchAll(/^\| `([A-Z_]+)` +\| [^|]+ \| `/gm)].map(([, name = '']) => name);
    expect(variables.length).toBeGreaterThan(8);
    expect(variables.filter((name) => !new RegExp(`\\b${name}\\b`).test(head))).toEqual([]);
  });

  it('[config.example] is right with everything in it switched on', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      `${folder}/config.yaml`,
      uncommented(await readFile(`${ROOT}config.example.yaml`, 'utf8')),
    );
    const environment = {
      DB_PASSWORD: 'p',
      SERVICE_SECRET: STRONG_SECRET,
      OPENAI_API_KEY: 'k',
      TAVILY_API_KEY: 't',
    };
    const loaded = loadConfig(environment, folder);
    if (!loaded.ok) throw new Error(formatProblems(loaded.problems));
    expect(loaded.config.models?.[0]).toMatchObject({ name: 'gpt', api_key: 'k', timeouts: { silence: 60 } });
    expect(loaded.config.agent.title_model).toBe('gpt');
    expect(loaded.config.auth.jwt_secret).toBe(STRONG_SECRET);
  });
});
