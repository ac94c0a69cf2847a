// The configuration that tests start from.
import { join } from 'node:path';
import { type Config, configSchema } from '../../src/config/schema.ts';

export interface TestConfigOptions {
  /** Keys of the configuration file. */
  readonly config?: Record<string, unknown>;
  /** Environment variables that the configuration file refers to. */
  readonly variables?: readonly string[];
  /** Keys of the entry of the scripted model. */
  readonly scripted?: Record<string, unknown>;
}

/** Cheap password hashes and quick retries: the tests are about rules, not about cost. */
export function testConfig(
  dataHome: string,
  modelUrl: string,
  { config = {}, variables = [], scripted = {} }: TestConfigOptions = {},
): Config {
  const {
    data_home: _,
    database,
    ...rest
  } = configSchema.parse({
    database: { url: 'sqlite::memory:' },
    auth: {
      password_hash: { memory_kib: 8, iterations: 1, parallelism: 1 },
      // Tests register many people from one address.
      registrations: { per_address: 100_000 },
    },
    // Prompts list skills, so tests that are not about skills have none. `skills: {}` is the default of a
    // service.
    skills: { public_folder: join(dataHome, 'no-skills') },
    models: [
      {
        name: 'scripted',
        provider: 'openai-compatible',
        model: 'scripted-1',
        base_url: modelUrl,
        api_key: 'CANARY-model-key',
        supports_thinking: true,
        ...scripted,
      },
    ],
    ...config,
  });
  const configFile = join(dataHome, 'config.yaml');
  return { ...rest, dataHome, configFile, variables, database: database ?? { url: 'sqlite::memory:' } };
}
