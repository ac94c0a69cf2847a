// How the servers that speak chat completions differ in what they accept and return.
import type { JsonObject } from '../../messages/message.ts';
import type { Provider, ProviderOptions } from '../model-options.ts';
import type { ThinkingOptions } from '../quirks/thinking-options.ts';
import { type OpenAiModel, openAiModel, openAiSchema } from './openai-models.ts';

export type ChatProvider = Exclude<Provider, 'anthropic' | 'google'>;

type Entry = ProviderOptions<ChatProvider>;

interface CallSettings {
  readonly entry: Entry;
  readonly thinking: ThinkingOptions;
  readonly hasTools: boolean;
}

export interface ProviderProfile {
  /** The server's address when the entry has no `base_url`. */
  readonly address: string;
  readonly instructions: 'system' | 'developer';
  /** A person's message with several texts: sent as blocks, or as one text. */
  readonly texts: 'blocks' | 'one-text';
  /** The content of a message that has calls and no text. */
  readonly noContent: null | '';
  /** The result of a failed call: its text, or an object with the text in `error`. */
  readonly failedResult: 'text' | 'object';
  /** Reasoning that is sent back: all; that of this turn; or all, with an empty text if there is none. */
  readonly reasoningBack: 'any' | 'of-this-turn' | 'always';
  /** Fields of a delta that hold reasoning. The first one present counts. */
  readonly reasoningFields: readonly string[];
  /** Whether calls may be signed, as Gemini's are, and the signatures are sent back. */
  readonly isSigned: boolean;
  settings(call: CallSettings): JsonObject;
  schema(schema: JsonObject): JsonObject;
}

/** One row per provider. What depends on the model is decided by its name. */
const PROFILES: Readonly<Record<ChatProvider, (model: string) => ProviderProfile>> = {
  openai: (model) => ({
    address: 'https://api.openai.com/v1',
    instructions: openAiModel(model).isReasoning ? 'developer' : 'system',
    texts: 'blocks',
    noContent: null,
    failedResult: 'object',
    reasoningBack: 'any',
    reasoningFields: [],
    isSigned: false,
    settings: openAiSettings,
    schema: openAiSchema,
  }),
  'openai-compatible': () => ({
    // Each entry has its own address, because there is no default server.
    address: '',
    instructions: 'system',
    texts: 'blocks',
    noContent: null,
    failedResult: 'text',
    reasoningBack: 'any',
    reasoningFields: ['reasoning_content', 'reasoning'],
    isSigned: true,
    settings: plainSettings,
    schema: (schema) => schema,
  }),
  deepseek: (model) => ({
    address: 'https://api.deepseek.com',
    instructions: 'system',
    texts: 'one-text',
    noContent: '',
    failedResult: 'text',
    reasoningBack: isDeepSeek4(model) ? 'always' : 'of-this-turn',
    reasoningFields: ['reasoning_content'],
    isSigned: false,
    settings: deepSeekSettings,
    schema: (schema) => schema,
  }),
};

export function profileOf({ provider, model }: Entry): ProviderProfile {
  return PROFILES[provider](model);
}

function plainSettings({ entry, thinking }: CallSettings): JsonObject {
  const { max_tokens, temperature } = entry;
  return defined({ max_tokens, temperature, ...thinking.fields });
}

function openAiSettings({ entry, thinking, hasTools }: CallSettings): JsonObject {
  const model = openAiModel(entry.model);
  const effort = thinking.fields?.reasoning_effort ?? openAiEffort(model, thinking.effort, { hasTools });
  const isTaken =
    model.temperature === 'always' || (model.temperature === 'without-reasoning' && effort === 'none');
  return defined({
    [model.isReasoning ? 'max_completion_tokens' : 'max_tokens']: entry.max_tokens,
    temperature: isTaken ? entry.temperature : undefined,
    ...thinking.fields,
    reasoning_effort: effort,
  });
}

function openAiEffort(
  { leastEffort, hasToolsOnlyWithoutReasoning }: OpenAiModel,
  wanted: ThinkingOptions['effort'],
  { hasTools }: Pick<CallSettings, 'hasTools'>,
): string | undefined {
  if (hasTools && hasToolsOnlyWithoutReasoning) return 'none';
  return wanted === 'none' ? leastEffort : wanted;
}

/** Omits the temperature for a model that thinks, because it ignores one. */
function deepSeekSettings({ entry, thinking }: CallSettings): JsonObject {
  const { model, max_tokens, temperature } = entry;
  const isSaid = thinking.fields?.thinking !== undefined;
  const isThinking = isSaid
    ? !isOff(thinking.fields?.thinking)
    : model === 'deepseek-reasoner' || isDeepSeek4(model);
  return defined({ max_tokens, temperature: isThinking ? undefined : temperature, ...thinking.fields });
}

function isOff(thinking: unknown): boolean {
  return typeof thinking === 'object' && thinking !== null && Reflect.get(thinking, 'type') === 'disabled';
}

function isDeepSeek4(model: string): boolean {
  return model.includes('deepseek-v4') || /^deepseek-(?:flash|pro)/.test(model);
}

function defined(fields: Readonly<Record<string, unknown>>): JsonObject {
  // Through JSON, which drops `undefined`.
  return JSON.parse(JSON.stringify(fields));
}
