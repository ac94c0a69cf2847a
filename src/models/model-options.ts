// The configuration of one model: an entry of `models:` (docs/contract/models.md#where-models-come-from).
import { z } from 'zod';
import { priceSchema } from './price-options.ts';

/** Seconds. Each limit ends the call with a separate `timeout` error. */
const timeoutsSchema = z.strictObject({
  /** Until the provider has accepted the connection. */
  connect: z.number().positive().max(600).default(10),
  /** From there to the first text, reasoning or call. A local model may load first, or read a long prompt. */
  first_token: z.number().positive().max(3_600).default(120),
  /** Between two parts of the reply. */
  silence: z.number().positive().max(3_600).default(60),
});

export const PROVIDERS = ['openai', 'openai-compatible', 'anthropic', 'google', 'deepseek'] as const;

export type Provider = (typeof PROVIDERS)[number];

export const modelOptionsSchema = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/,
        'a name has up to 64 letters, digits, dots, colons, dashes and underscores, and begins with a letter or digit',
      ),
    provider: z.enum([...PROVIDERS, 'demo']),
    /** The provider's own name for the model. */
    model: z.string().min(1),
    base_url: z
      .url({ protocol: /^https?$/, error: 'expected an http or https address' })
      .refine(
        (address) => !/^https?:\/\/[^/]*@/i.test(address),
        'no credentials in the address: use api_key or headers',
      )
      .optional(),
    api_key: z.string().min(1).optional(),
    display_name: z.string().min(1).optional(),
    description: z.string().optional(),
    supports_thinking: z.boolean().default(false),
    supports_vision: z.boolean().default(false),
    /** The maximum length of a reply; sent to the provider only when it is set. */
    max_tokens: z.int().positive().optional(),
    context_window: z.int().positive().optional(),
    temperature: z.number().min(0).max(2).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    /** Fields of the request body (options of the provider package for anthropic and google) while thinking is on. */
    when_thinking_enabled: z.record(z.string(), z.json()).optional(),
    timeouts: timeoutsSchema.prefault({}),
    price: priceSchema.optional(),
    /** Names of models that reply in its place when it fails before its first word, in this order. */
    fallbacks: z.array(z.string().min(1).max(64)).max(8).default([]),
  })
  .refine((entry) => entry.provider !== 'openai-compatible' || entry.base_url !== undefined, {
    path: ['base_url'],
    error: 'an openai-compatible model needs the base_url of its server, like http://127.0.0.1:11434/v1',
  });

function fallbackProblems(
  { name, fallbacks }: z.output<typeof modelOptionsSchema>,
  entries: readonly { readonly name: string }[],
): readonly string[] {
  const known = new Set(entries.map((entry) => entry.name));
  return [
    ...fallbacks.filter((it) => !known.has(it)).map((it) => `there is no model named "${it}"`),
    ...(fallbacks.includes(name) ? [`"${name}" cannot answer in its own place`] : []),
    ...(new Set(fallbacks).size < fallbacks.length ? ['each fallback can be named only once'] : []),
  ];
}

export const modelsOptionsSchema = z
  .array(modelOptionsSchema)
  .min(1, 'name at least one model, or leave `models` out')
  .superRefine((entries, context) => {
    const seen = new Set<string>();
    const [currency] = entries.flatMap(({ price }) => price?.currency ?? []);
    entries.forEach((entry, index) => {
      if (seen.has(entry.name)) {
        const message = `two models are named "${entry.name}"; names are unique`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
      seen.add(entry.name);
      for (const message of fallbackProblems(entry, entries))
        context.addIssue({ code: 'custom', path: [index, 'fallbacks'], message });
      if (entry.price !== undefined && entry.price.currency !== currency) {
        const message = `all prices have one currency, and an earlier one is in ${currency}`;
        context.addIssue({ code: 'custom', path: [index, 'price', 'currency'], message });
      }
    });
  });

export type ModelOptions = z.output<typeof modelOptionsSchema>;

/** One type per name, so that a check of `provider` narrows it. */
export type ProviderOptions<Name extends Provider = Provider> = Name extends Provider
  ? ModelOptions & { readonly provider: Name }
  : never;
