// The configuration through its door: a file, an environment, and either a configuration or every problem.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblems } from '../../src/config/config-problem.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const STRONG_SECRET = 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6';

type Environment = Readonly<Record<string, string>>;

async function load(yaml: string | undefined, environment: Environment = {}) {
  const cwd = await temporaryFolder();
  if (yaml !== undefined) await writeFile(join(cwd, 'config.yaml'), yaml);
  return { cwd, loaded: loadConfig(environment, cwd) };
}

async function configOf(yaml: string | undefined, environment: Environment = {}): Promise<Config> {
  const { loaded } = await load(yaml, environment);
  if (!loaded.ok) throw new Error(formatProblems(loaded.problems));
  return loaded.config;
}

async function problemsOf(yaml: string | undefined, environment: Environment = {}): Promise<string> {
  const { loaded } = await load(yaml, environment);
  if (loaded.ok) throw new Error('The configuration was taken');
  return formatProblems(loaded.problems);
}

describe('without a file', () => {
  it('[config.defaults] has the defaults of the contract', async () => {
    const { cwd, loaded } = await load(undefined);
    if (!loaded.ok) throw new Error('refused');
    expect(loaded.config).toMatchObject({
      server: { host: '127.0.0.1', port: 2026, cors_origins: [] },
      dataHome: join(cwd, '.data'),
      database: { url: `sqlite:${join(cwd, '.data', 'service.db')}` },
    });
    expect(loaded.config.models).toBeUndefined();
  });

  it('[config.environment] takes every setting from its variable, and an empty one as not set', async () => {
    const config = await configOf(undefined, {
      HOST: '0.0.0.0',
      PORT: '3000',
      DATA_HOME: '/srv/data',
      CORS_ORIGINS: 'https://a.example.com, https://b.example.com',
      AUTH_JWT_SECRET: STRONG_SECRET,
      AUTH_TRUSTED_PROXIES: '10.0.0.0/8,::1',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      REDIS_URL: '',
      CONFIG_FILE: '',
    });
    expect(config).toMatchObject({
      server: {
        host: '0.0.0.0',
        port: 3000,
        cors_origins: ['https://a.example.com', 'https://b.example.com'],
      },
      dataHome: '/srv/data',
      database: { url: 'sqlite:/srv/data/service.db' },
      auth: { jwt_secret: STRONG_SECRET, trusted_proxies: ['10.0.0.0/8', '::1'] },
      log: { level: 'warn', format: 'json' },
    });
    const database = { DATABASE_URL: 'postgres://u:p@db:5432/x' };
    expect((await configOf(undefined, database)).database.url).toBe('postgres://u:p@db:5432/x');
    const memory = { DATABASE_URL: 'sqlite::memory:' };
    expect((await configOf(undefined, memory)).database.url).toBe('sqlite::memory:');
  });

  it('[config.environment] names the variable that is wrong', async () => {
    const problems = await problemsOf(undefined, {
      PORT: '70000',
      AUTH_JWT_SECRET: 'CANARY-too-short',
      CORS_ORIGINS: 'https://a.example.com,nonsense',
      LOG_LEVEL: 'debgu',
      DATABASE_URL: 'mysql://CANARY@db',
    });
    expect(problems).toMatch(/environment variable PORT {2}server.port: must be at most 65535\./);
    expect(problems).toMatch(
      /variable AUTH_JWT_SECRET {2}auth.jwt_secret: must have at least 32 characters\./,
    );
    expect(problems).toMatch(/variable CORS_ORIGINS {2}server.cors_origins\[1\]: must be an origin/);
    expect(problems).toMatch(/variable LOG_LEVEL {2}log.level must be one of .*\n {6}Did you mean "debug"\?/);
    expect(problems).toMatch(/variable DATABASE_URL {2}database.url: must be sqlite:/);
    expect(problems).not.toContain('CANARY');
  });

  it('[config.redis] says that Redis is not supported instead of ignoring it', async () => {
    expect(await problemsOf(undefined, { REDIS_URL: 'redis://localhost' })).toContain(
      'REDIS_URL is set, but this version has no Redis support yet.',
    );
  });

  it('[config.file] a file that was asked for by name must be there', async () => {
    expect(await problemsOf(undefined, { CONFIG_FILE: 'other.yaml' })).toContain(
      'The configuration file other.yaml cannot be read.',
    );
  });
});

describe('the file', () => {
  it('[config.file] is read from CONFIG_FILE, and the environment wins over it', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'other.yaml'), 'server: {port: 4000, host: "::1"}\n');
    const loaded = loadConfig({ CONFIG_FILE: 'other.yaml', PORT: '5000' }, cwd);
    expect(loaded).toMatchObject({ ok: true, config: { server: { port: 5000, host: '::1' } } });
  });

  it('[config.frozen] cannot be changed, however deep', async () => {
    const config = await configOf('server: {cors_origins: ["https://a.example.com"]}\n');
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.server.cors_origins)).toBe(true);
    expect(Object.isFrozen(config.auth.lockout)).toBe(true);
  });

  it.each(['', '# nothing\n', '---\n', 'null\n'])(
    '[config.file] an empty file %j has the defaults',
    async (yaml) => {
      expect((await configOf(yaml)).server.port).toBe(2026);
    },
  );

  it('[config.references] resolves $NAME anywhere in a text, and $$ to a dollar sign', async () => {
    const config = await configOf(
      [
        'server: {port: $THE_PORT}',
        'database: {url: "postgres://u:$DB_PASSWORD@db/x"}',
        'agent: {instructions: "costs $$5 or $5, $$NAME"}',
      ].join('\n'),
      { THE_PORT: '4711', DB_PASSWORD: 'p: {w}"\n# $x' },
    );
    expect(config.server.port).toBe(4711);
    expect(config.database.url).toBe('postgres://u:p: {w}"\n# $x@db/x');
    expect(config.agent.instructions).toBe('costs $5 or $5, $NAME');
  });
});

describe('problems', () => {
  it('[config.problems] are reported together, each with its line, a sentence and a fix', async () => {
    const problems = await problemsOf(
      [
        'server:',
        '  prot: 2026',
        '  host: 7',
        'log: {level: loud}',
        'models:',
        '  - name: a',
        '    provider: opnai',
        '    model: $NO_SUCH_VARIABLE',
        '  - {name: a, provider: demo, model: demo}',
        'runs: 7',
        'nonsense: 1',
      ].join('\n'),
    );
    const lines = problems.split('\n').filter((line) => line.startsWith('  config.yaml'));
    expect(lines).toEqual([
      '  config.yaml:2:3  Unknown key "prot".',
      '  config.yaml:3:9  server.host must be a text.',
      '  config.yaml:4:14  log.level must be one of debug, info, warn, error, silent.',
      expect.stringContaining('  config.yaml:7:15  models[0].provider must be one of openai'),
      '  config.yaml:8:12  The environment variable NO_SUCH_VARIABLE is not set.',
      '  config.yaml:10:7  runs must be a map of settings.',
      '  config.yaml:11:1  Unknown key "nonsense".',
    ]);
    expect(problems).toContain('Did you mean "port"?');
    expect(problems).toContain('Did you mean "openai"?');
    expect(problems).toContain('Remove it. Known here: server,');
  });

  it('[config.problems] two models of one name, and a model without what it needs', async () => {
    const problems = await problemsOf(
      'models:\n  - {name: a, provider: demo, model: d}\n  - {name: a, provider: openai-compatible, model: m}\n',
    );
    expect(problems).toMatch(/config.yaml:3:.*base_url/);
    expect(await problemsOf('models:\n  - {name: a, provider: demo}\n')).toMatch(
      /config.yaml:2:5 {2}models\[0\].model is missing.\n {6}Add it: a text./,
    );
  });

  it.each([
    ['server:\n  port: 1\n  header_timeout_seconds: 60\n', '3:27'],
    ['server:\n  header_timeout_seconds: 6\n  request_timeout_seconds: 5\n', '2:27'],
    ['server:\n  request_timeout_seconds: 5\n', '2:3'],
  ])('[config.problems] a head that may take longer than its whole request %#', async (yaml, place) => {
    const problems = await problemsOf(yaml);
    expect(problems).toContain(
      `config.yaml:${place}  server.header_timeout_seconds: must be at most request_`,
    );
    expect(problems).toContain('raise server.request_timeout_seconds');
  });

  it('[config.problems] a head may take as long as its whole request', async () => {
    const { server } = await configOf('server: {header_timeout_seconds: 5, request_timeout_seconds: 5}\n');
    expect(server.header_timeout_seconds).toBe(server.request_timeout_seconds);
  });

  it('[config.yaml] broken YAML and duplicate keys have their line', async () => {
    expect(await problemsOf('log: {level: info}\nlog: {level: warn}\n')).toMatch(
      /config.yaml:2:1 {2}Map keys/,
    );
    expect(await problemsOf('server:\n  port: [1\n')).toMatch(/config.yaml:\d:\d+ /);
    expect(await problemsOf('- a\n- b\n')).toContain('The file is not a map of settings.');
    expect(await problemsOf('just text')).toContain('The file is not a map of settings.');
  });

  it('[config.yaml] a file of aliases that explode is refused', async () => {
    const levels = Array.from({ length: 9 }, (_, i) => `  - &l${i + 1} [${`*l${i}, `.repeat(9)}*l${i}]`);
    expect(await problemsOf(['agent:', '  - &l0 [x]', ...levels].join('\n'))).toContain('aliases');
  });
});
