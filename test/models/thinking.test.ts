// Thinking on and off, in the form that each provider expects.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PROVIDERS, type Provider } from '../../src/models/model-options.ts';
import { answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { outcomeOf, testModel } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

/** Returns the body of the request; the reply does not matter here. */
async function sent(fields: Record<string, unknown>, thinking: boolean) {
  server.onRequest(() => answer.status(400, 'enough'));
  await outcomeOf(testModel({ base_url: server.url, ...fields }), { thinking });
  return server.requests.at(-1)?.body ?? {};
}

const ON = { supports_thinking: true };

it('[models.thinking] a model without support for thinking gets no setting for it', async () => {
  const entry = { when_thinking_enabled: { reasoning_effort: 'high', enable_thinking: true } };
  for (const thinking of [true, false]) {
    const body = await sent(entry, thinking);
    expect(body).not.toHaveProperty('reasoning_effort');
    expect(body).not.toHaveProperty('enable_thinking');
  }
});

it('[models.thinking] the configured fields are merged into the request while thinking is on', async () => {
  const entry = {
    ...ON,
    when_thinking_enabled: {
      reasoning_effort: 'high',
      extra_body: { chat_template_kwargs: { enable_thinking: true } },
    },
  };
  expect(await sent(entry, true)).toMatchObject({
    reasoning_effort: 'high',
    chat_template_kwargs: { enable_thinking: true },
  });
});

it('[models.thinking.off] the configured switch is turned the other way', async () => {
  const off = (when_thinking_enabled: object) => sent({ ...ON, when_thinking_enabled }, false);
  expect(await off({ extra_body: { chat_template_kwargs: { enable_thinking: true } } })).toMatchObject({
    chat_template_kwargs: { enable_thinking: false },
  });
  expect(await off({ thinking: { type: 'enabled' }, reasoning_effort: 'high' })).toMatchObject({
    thinking: { type: 'disabled' },
    reasoning_effort: 'minimal',
  });
  expect(await off({ reasoning: { max_tokens: 2000 } })).toMatchObject({ reasoning: { enabled: false } });
});

interface Switch {
  readonly model: string;
  readonly on: object;
  readonly off: object;
}

/** What each provider gets without configured fields. */
const SWITCHES: Readonly<Record<Provider, Switch>> = {
  openai: { model: 'gpt-5.1', on: { reasoning_effort: 'medium' }, off: { reasoning_effort: 'none' } },
  anthropic: {
    model: 'claude-sonnet-4-5',
    on: { thinking: { type: 'enabled' } },
    off: { thinking: { type: 'disabled' } },
  },
  google: {
    model: 'gemini-2.5-flash',
    on: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
    off: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  },
  deepseek: {
    model: 'deepseek-v4-flash',
    on: { thinking: { type: 'enabled' } },
    off: { thinking: { type: 'disabled' } },
  },
  // Every such server has its own switch.
  'openai-compatible': { model: 'qwen3:8b', on: {}, off: {} },
};

it.each(PROVIDERS)('[models.thinking] [models.thinking.off] %s gets its own switch', async (provider) => {
  const { model, on, off } = SWITCHES[provider];
  const entry = { ...ON, provider, model, max_tokens: 8000 };
  expect(await sent(entry, true)).toMatchObject(on);
  expect(await sent(entry, false)).toMatchObject(off);
});

it('[models.thinking] openai and anthropic get the configured fields', async () => {
  const openai = { ...ON, provider: 'openai', model: 'gpt-5.1' };
  const effort = { reasoning_effort: 'high' };
  expect(await sent({ ...openai, when_thinking_enabled: effort }, true)).toMatchObject(effort);
  const anthropic = { ...ON, provider: 'anthropic', model: 'claude-sonnet-4-5', max_tokens: 8000 };
  const budget = { thinking: { type: 'enabled', budget_tokens: 2048 } };
  expect(await sent({ ...anthropic, when_thinking_enabled: budget }, true)).toMatchObject(budget);
});
