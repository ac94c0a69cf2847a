// Thinking on and off, in the form that each provider expects.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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

it('[models.thinking] openai gets an effort', async () => {
  const entry = { ...ON, provider: 'openai', model: 'gpt-5.1' };
  expect(await sent(entry, true)).toMatchObject({ reasoning_effort: 'medium' });
  expect(await sent({ ...entry, when_thinking_enabled: { reasoning_effort: 'high' } }, true)).toMatchObject({
    reasoning_effort: 'high',
  });
  expect(await sent(entry, false)).toMatchObject({ reasoning_effort: 'none' });
});

it('[models.thinking] anthropic and deepseek get a switch', async () => {
  const anthropic = { ...ON, provider: 'anthropic', model: 'claude-sonnet-4-5', max_tokens: 8000 };
  const budget = { thinking: { type: 'enabled', budget_tokens: 2048 } };
  expect(await sent({ ...anthropic, when_thinking_enabled: budget }, true)).toMatchObject(budget);
  expect(await sent(anthropic, true)).toMatchObject({ thinking: { type: 'enabled' } });
  expect(await sent(anthropic, false)).toMatchObject({ thinking: { type: 'disabled' } });
  const deepseek = { ...ON, provider: 'deepseek', model: 'deepseek-v4-flash' };
  expect(await sent(deepseek, true)).toMatchObject({ thinking: { type: 'enabled' } });
  expect(await sent(deepseek, false)).toMatchObject({ thinking: { type: 'disabled' } });
});

it('[models.thinking] google is asked to include its thoughts', async () => {
  const google = { ...ON, provider: 'google', model: 'gemini-2.5-flash' };
  expect(await sent(google, true)).toMatchObject({
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
  expect(await sent(google, false)).toMatchObject({
    generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
  });
});
