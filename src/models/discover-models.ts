// The models of a machine without configuration: from keys in the environment and a local Ollama, else the demo model.
import { z } from 'zod';
import { type ModelOptions, modelOptionsSchema } from './model-options.ts';

type Entry = z.input<typeof modelOptionsSchema>;

const OLLAMA = 'http://127.0.0.1:11434';
const OLLAMA_PATIENCE_MS = 150;
const MOST_OLLAMA_MODELS = 10;

/** Without `model`, the name is also the model. */
const KEYED: Readonly<Record<string, Omit<Entry, 'model'> & { readonly model?: string }>> = {
  OPENAI_API_KEY: {
    name: 'gpt-5.4-mini',
    provider: 'openai',
    display_name: 'GPT-5.4 mini',
    supports_vision: true,
  },
  ANTHROPIC_API_KEY: {
    name: 'claude-sonnet-5',
    provider: 'anthropic',
    display_name: 'Claude Sonnet 5',
    supports_thinking: true,
    supports_vision: true,
  },
  GOOGLE_API_KEY: {
    name: 'gemini-3.5-flash',
    provider: 'google',
    display_name: 'Gemini 3.5 Flash',
    supports_thinking: true,
    supports_vision: true,
  },
  DEEPSEEK_API_KEY: {
    name: 'deepseek-v4-flash',
    provider: 'deepseek',
    display_name: 'DeepSeek V4 Flash',
    supports_thinking: true,
  },
  OPENROUTER_API_KEY: {
    name: 'openrouter',
    provider: 'openai-compatible',
    model: 'openrouter/auto',
    base_url: 'https://openrouter.ai/api/v1',
    display_name: 'OpenRouter',
  },
};

export const KEY_VARIABLES: readonly string[] = Object.keys(KEYED);

const DEMO_ENTRY: ModelOptions = modelOptionsSchema.parse({
  name: 'demo',
  provider: 'demo',
  model: 'demo',
  supports_thinking: true,
});

/** Returns at least one model and never throws. Sends a request only to this machine, for at most 150 ms. */
export async function discoverModels(
  env: Readonly<Record<string, string | undefined>>,
  { fetch = globalThis.fetch }: { readonly fetch?: typeof globalThis.fetch } = {},
): Promise<ModelOptions[]> {
  const keyed = Object.entries(KEYED).flatMap(([variable, { model, ...entry }]) => {
    const key = env[variable]?.trim() ?? '';
    return key === '' ? [] : [{ ...entry, model: model ?? entry.name, api_key: key }];
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
    // No response, or not one of Ollama: either way there is no local model.
    return undefined;
  }
}
