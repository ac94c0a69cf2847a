// The models that a machine offers without configuration.
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { discoverModels } from '../../src/models/discover-models.ts';

const nobody: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));

function ollama(body: unknown): typeof fetch {
  return (address) => {
    expect(String(address)).toBe('http://127.0.0.1:11434/api/tags');
    return Promise.resolve(Response.json(body));
  };
}

it('[models.discover.keys] each key in the environment adds its provider, in a fixed order', async () => {
  const env = {
    OPENROUTER_API_KEY: 'k5',
    DEEPSEEK_API_KEY: 'k4',
    GOOGLE_API_KEY: 'k3',
    ANTHROPIC_API_KEY: ' k2 ',
    OPENAI_API_KEY: 'k1',
  };
  const found = await discoverModels(env, { fetch: nobody });
  expect(found.map((entry) => [entry.provider, entry.api_key])).toEqual([
    ['openai', 'k1'],
    ['anthropic', 'k2'],
    ['google', 'k3'],
    ['deepseek', 'k4'],
    ['openai-compatible', 'k5'],
  ]);
  const models = createModels(found);
  expect(models.map((model) => model.info.provider)).toEqual(found.map((entry) => entry.provider));
});

it('[models.discover.demo] without any of them: the demo model, which needs no key', async () => {
  const found = await discoverModels({ OPENAI_API_KEY: '' }, { fetch: nobody });
  expect(found).toMatchObject([{ name: 'demo', provider: 'demo' }]);
  expect(createModels(found)[0]?.info).toMatchObject({ name: 'demo', supportsThinking: true });
});

it('[models.discover.ollama] a local Ollama adds its models under names that fit into a path', async () => {
  const fetch = ollama({ models: [{ name: 'llama3.2:3b' }, { name: 'library/qwen 3' }] });
  expect(await discoverModels({}, { fetch })).toMatchObject([
    { name: 'ollama-llama3.2:3b', model: 'llama3.2:3b', base_url: 'http://127.0.0.1:11434/v1' },
    { name: 'ollama-library-qwen-3', model: 'library/qwen 3' },
  ]);
  expect(await discoverModels({}, { fetch: ollama({ something: 'else' }) })).toMatchObject([
    { name: 'demo' },
  ]);
});

it('[models.discover.ollama] a server that never responds is not waited for', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const found = await discoverModels({}, { fetch: (_, init) => fetch(`http://127.0.0.1:${port}/`, init) });
  expect(found).toMatchObject([{ name: 'demo' }]);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});
