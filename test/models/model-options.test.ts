// The `models:` entries of the configuration, and the catalogue built from them.
import { describe, expect, it } from 'vitest';
import { createModelCatalog } from '../../src/models/catalog.ts';
import { createDemoModel } from '../../src/models/demo-model.ts';
import { modelsOptionsSchema } from '../../src/models/model-options.ts';

const ENTRY = { name: 'fast', provider: 'openai', model: 'gpt-5-mini' };

function problems(entries: unknown): readonly string[] {
  const parsed = modelsOptionsSchema.safeParse(entries);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

describe('options', () => {
  it('[models.options] needs a name, a provider and a model; everything else has a default or may be omitted', () => {
    expect(modelsOptionsSchema.parse([ENTRY])).toEqual([
      {
        ...ENTRY,
        supports_thinking: false,
        supports_vision: false,
        timeouts: { connect: 10, first_token: 120, silence: 60 },
        fallbacks: [],
      },
    ]);
  });

  it('[models.options] accepts every documented key', () => {
    const full = {
      ...ENTRY,
      base_url: 'http://127.0.0.1:1234/v1',
      api_key: 'k',
      display_name: 'Fast',
      description: 'For quick answers',
      supports_thinking: true,
      supports_vision: true,
      max_tokens: 4096,
      context_window: 128_000,
      temperature: 0.2,
      headers: { 'x-team': 'a' },
      when_thinking_enabled: { reasoning_effort: 'high', extra: { deep: [1, null] } },
      timeouts: { connect: 1, first_token: 2, silence: 3 },
      price: {
        input_per_million: 0.25,
        output_per_million: 2,
        cached_input_per_million: 0.025,
        currency: 'EUR',
      },
    };
    const other = { ...full, name: 'other', fallbacks: [] };
    const both = [{ ...full, fallbacks: ['other'] }, other];
    expect(modelsOptionsSchema.parse(both)).toEqual(both);
  });

  it('[usage.price] accepts prices of one currency, down to a billionth per token', () => {
    const priced = (price: object) => ({
      ...ENTRY,
      price: { input_per_million: 1, output_per_million: 2, ...price },
    });
    const [parsed] = modelsOptionsSchema.parse([priced({})]);
    expect(parsed?.price).toMatchObject({ currency: 'USD' });
    expect(problems([priced({}), { ...priced({ currency: 'EUR' }), name: 'other' }])).toEqual([
      '1.price.currency: all prices have one currency, and an earlier one is in USD',
    ]);
    expect(problems([priced({ input_per_million: 0.000_000_1 })])[0]).toContain('six decimals');
    expect(problems([priced({ input_per_million: -1 })])[0]).toContain('0.price.input_per_million');
    expect(problems([priced({ currency: '$' })])[0]).toContain('three capital letters');
  });

  it('[fallbacks.options] refuses fallbacks that are unknown, the model itself, or duplicate', () => {
    const other = { ...ENTRY, name: 'other' };
    expect(problems([{ ...ENTRY, fallbacks: ['other', 'nobody'] }, other])).toEqual([
      '0.fallbacks: there is no model named "nobody"',
    ]);
    expect(problems([{ ...ENTRY, fallbacks: ['fast'] }])).toEqual([
      '0.fallbacks: "fast" cannot answer in its own place',
    ]);
    expect(problems([{ ...ENTRY, fallbacks: ['other', 'other'] }, other])).toEqual([
      '0.fallbacks: each fallback can be named only once',
    ]);
  });

  it('[models.options] refuses unknown keys, duplicate names, an empty list and a server without address', () => {
    expect(problems([{ ...ENTRY, modell: 'x' }])[0]).toContain('modell');
    expect(problems([ENTRY, ENTRY])).toEqual(['1.name: two models are named "fast"; names are unique']);
    expect(problems([])[0]).toContain('at least one model');
    expect(problems([{ ...ENTRY, provider: 'openai-compatible' }])[0]).toContain('0.base_url');
    expect(problems([{ ...ENTRY, name: 'a/b' }])[0]).toContain('0.name');
    expect(problems([{ ...ENTRY, base_url: 'ftp://x' }])[0]).toContain('0.base_url');
    expect(problems([{ ...ENTRY, base_url: 'https://me:pass@host/v1' }])[0]).toContain('no credentials');
  });
});

describe('catalogue', () => {
  const first = createDemoModel({
    options: { ...ENTRY, name: 'first', display_name: undefined, description: undefined },
  });
  const second = createDemoModel({
    options: { ...ENTRY, name: 'second', display_name: undefined, description: undefined },
  });
  const catalog = createModelCatalog([first, second]);

  it('[models.catalog.default] the first model is the default', () => {
    expect(catalog.default).toBe(first);
    expect(catalog.get()).toBe(first);
    expect(catalog.list().map((info) => info.name)).toEqual(['first', 'second']);
  });

  it('[models.catalog.by-name] finds a model by its name, and none under an unknown name', () => {
    expect(catalog.get('second')).toBe(second);
    expect(catalog.get('third')).toBeUndefined();
    expect(() => createModelCatalog([])).toThrow('at least one model');
  });
});
