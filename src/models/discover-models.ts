// The models of a machine without configuration: from keys in the environment and a local Ollama, else the demo model.
import { z } from 'zod';
import { type ModelOptions, modelOptionsSchema } from './model-options.ts';

interface DiscoverDeps {
  readonly fetch?: typeof globalThis.fetch;
}

type Entry = z.input<typeof modelOptionsSchema>;

const OLLAMA = 'http://127.0.0.1:11434';
const OLLAMA_PATIENCE_MS = 150;
const MOST_OLLAMA_MODELS = 10;

const KEYED: readonly { readonly variable: string; readonly entry: (key: string) => Entry }[] = [
  {
    variable: 'OPENAI_API_KEY',
    entry: (api_key) => ({
      name: 'gpt-5.4-mini',
      provider: 'openai',
      model: 'gpt-5.4-mini',
      api_key,
      display_name: 'GPT-5.4 mini',
      supports_vision: true,
    }),
  },
  {
    variable: 'ANTHROPIC_API_KEY',
    entry: (api_key) => ({
      name: 'claude-sonnet-5',
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      api_key,
      display_name: 'Claude Sonnet 5',
      supports_thinking: true,
      supports_vision: true,
    }),
  },
  {
    variable: 'GOOGLE_API_KEY',
    entry: (api_key) => ({
      name: 'gemini-3.5-flash',
      provider: 'google',
      model: 'gemini-3.5-flash',
      api_key,
      display_name: 'Gemini 3.5 Flash',
      supports_thinking: true,
      supports_vision: true,
    }),
  },
  {
    variable: 'DEEPSEEK_API_KEY',
    entry: (api_key) => ({
      name: 'deepseek-v4-flash',
      provider: 'deepseek',
      model: 'deepseek-v4-flash',
      api_key,
      display_name: 'DeepSeek V4 Flash',
      supports_thinking: true,
    }),
  },
  {
    variable: 'OPENROUTER_API_KEY',
    entry: (api_key) => ({
      name: 'openrouter',
      provider: 'openai-compatible',
      model: 'openrouter/auto',
      base_url: 'https://openrouter.ai/api/v1',
      api_key,
      display_name: 'OpenRouter',
    }),
  },
];

/** The environment variables whose keys are taken for models. */
export const KEY_VARIABLES: readonly string[] = KEYED.map(({ variable }) => variable);

/** The entry of the built-in model, which needs no key. */
const DEMO_ENTRY: ModelOptions = modelOptionsSchema.parse({
  name: 'demo',
  provider: 'demo',
  model: 'demo',
  supports_thinking: true,
});

/** Never empty, never throws; asks nobody but this machine, and no longer than 150 ms. */
export async function discoverModels(
  env: Readonly<Record<string, string | undefined>>,
  { fetch = globalThis.fetch }: DiscoverDeps = {},
): Promise<ModelOptions[]> {
  const keyed = KEYED.flatMap(({ variable, entry }) => {
    const key = env[variable]?.trim() ?? '';
    return key === '' ? [] : [entry(key)];
  });
  const found = [...keyed, ...(await ollamaEntries(fetch))].map((entry) => modelOptionsSchema.parse(entry));
  return found.length > 0 ? found : [DEMO_ENTRY];
}

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });

async function ollamaEntries(fetch: typeof globalThis.fetch): Promise<Entry[]> {
  const tags = tagsSchema.safeParse(await localTags(fetch));
  if (!tags.success) return [];
  return tags.data.models.slice(0, MOST_OLLAMA_MODELS).map(({ name }) => ({
    name: `ollama-${name.replace(/[^A-Za-z0-9._:-]+/g, '-')}`.slice(0, 64),
    provider: 'openai-compatible',
    model: name,
    base_url: `${OLLAMA}/v1`,
    display_name: `${name} (local)`,
  }));
}

async function localTags(fetch: typeof globalThis.fetch): Promise<unknown> {
  try {
    const response = await fetch(`${OLLAMA}/api/tags`, { signal: AbortSignal.timeout(OLLAMA_PATIENCE_MS) });
    return await response.json();
  } catch {
    // No response, or none like Ollama's: both mean that there is no local model.
    return undefined;
  }
}
