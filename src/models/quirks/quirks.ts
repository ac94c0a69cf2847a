// The table of what providers want or report differently. Prompts and replies pass through it in this order.
import type { LanguageModelV4Message, LanguageModelV4ReasoningPart } from '@ai-sdk/provider';
import type { MessageContent, ToolCall } from '../../messages/message.ts';
import type { ModelFinish } from '../model.ts';
import { PROVIDERS, type Provider } from '../model-options.ts';
import { imageFiles, imagesBeside, type Part, type ShownResult, type Sight, unseenImages } from './images.ts';
import { cacheMarked, closed, instructionsApart, merged, opened } from './message-order.ts';
import { type Reasoned, reasoningOfCalls, signedReasoning, wholeReasoning } from './reasoning-echo.ts';
import { type Thinking, type ThinkingOptions, thinkingOptions } from './thinking-options.ts';
import { type History, neverEmpty, paired, withoutEmptyReplies } from './tool-pairing.ts';

export type Prompt = readonly LanguageModelV4Message[];

interface Steps {
  readonly history: [History, undefined];
  readonly content: [readonly Part[], Sight];
  readonly result: [ShownResult, MessageContent];
  readonly reasoning: [readonly LanguageModelV4ReasoningPart[], Reasoned];
  readonly neighbours: [Prompt, undefined];
  readonly beginning: [Prompt, undefined];
  readonly end: [Prompt, undefined];
  /** The prompt with its instructions. */
  readonly whole: [Prompt, undefined];
  readonly options: [ThinkingOptions, Thinking];
  /** For the reply, from here on. */
  readonly callId: [string, CallPlace];
  readonly callArguments: [string, undefined];
  readonly finishReason: [ModelFinish['finishReason'], readonly ToolCall[]];
  readonly tokenCount: [number, undefined];
}

export const QUIRKS: { readonly [Step in keyof Steps]: readonly Quirk<Steps[Step][0], Steps[Step][1]>[] } = {
  history: [
    { name: 'instructions-first', providers: PROVIDERS, apply: instructionsApart },
    { name: 'tool-pairing', providers: PROVIDERS, apply: paired },
    { name: 'empty-answers', providers: PROVIDERS, apply: withoutEmptyReplies },
  ],
  content: [
    { name: 'unseen-images', providers: PROVIDERS, apply: unseenImages },
    { name: 'images', providers: PROVIDERS, apply: imageFiles },
    { name: 'empty-content', providers: PROVIDERS, apply: neverEmpty },
  ],
  result: [
    {
      name: 'images-beside-results',
      providers: ['openai', 'openai-compatible', 'deepseek'],
      apply: imagesBeside,
    },
  ],
  reasoning: [
    { name: 'signed-reasoning', providers: ['anthropic', 'google'], apply: signedReasoning },
    { name: 'whole-reasoning', providers: ['deepseek'], apply: wholeReasoning },
    { name: 'reasoning-of-calls', providers: ['openai-compatible'], apply: reasoningOfCalls },
  ],
  neighbours: [{ name: 'alternating-roles', providers: PROVIDERS, apply: merged }],
  beginning: [{ name: 'person-first', providers: PROVIDERS, apply: opened }],
  end: [{ name: 'person-last', providers: PROVIDERS, apply: closed }],
  whole: [{ name: 'cache-marks', providers: ['anthropic'], apply: cacheMarked }],
  options: [{ name: 'thinking', providers: PROVIDERS, apply: thinkingOptions }],
  callId: [
    { name: 'missing-call-ids', providers: PROVIDERS, apply: missingId },
    { name: 'repeated-call-ids', providers: PROVIDERS, apply: repeatedId },
  ],
  callArguments: [{ name: 'no-arguments', providers: PROVIDERS, apply: noArguments }],
  finishReason: [{ name: 'finish-of-calls', providers: PROVIDERS, apply: finishOfCalls }],
  tokenCount: [{ name: 'whole-tokens', providers: PROVIDERS, apply: wholeTokens }],
};

export type ProviderQuirks = { readonly [Step in keyof Steps]: Transform<Steps[Step][0], Steps[Step][1]> };

export function quirksOf(provider: Provider): ProviderQuirks {
  const own = <Value, Context>(quirks: readonly Quirk<Value, Context>[]) => applied(quirks, provider);
  return {
    history: own(QUIRKS.history),
    content: own(QUIRKS.content),
    result: own(QUIRKS.result),
    reasoning: own(QUIRKS.reasoning),
    neighbours: own(QUIRKS.neighbours),
    beginning: own(QUIRKS.beginning),
    end: own(QUIRKS.end),
    whole: own(QUIRKS.whole),
    options: own(QUIRKS.options),
    callId: own(QUIRKS.callId),
    callArguments: own(QUIRKS.callArguments),
    finishReason: own(QUIRKS.finishReason),
    tokenCount: own(QUIRKS.tokenCount),
  };
}

interface Quirk<Value, Context> {
  /** Also the name of its fixture. */
  readonly name: string;
  readonly providers: readonly Provider[];
  /** Pure. Returns the value itself when there is nothing to do. */
  apply(value: Value, context: Context): Value;
}

type Transform<Value, Context> = (value: Value, context: Context) => Value;

function applied<Value, Context>(
  quirks: readonly Quirk<Value, Context>[],
  provider: Provider,
): Transform<Value, Context> {
  const own = quirks.filter(({ providers }) => providers.includes(provider));
  return (value, context) => {
    let transformed = value;
    for (const quirk of own) transformed = quirk.apply(transformed, context);
    return transformed;
  };
}

interface CallPlace {
  /** The position among the calls of the message. */
  readonly index: number;
  /** Whether another call of the thread has the id. */
  readonly isTaken: (id: string) => boolean;
}

function missingId(id: string, { index }: CallPlace): string {
  return id.trim() === '' ? `call_${index}` : id;
}

/** Makes ids unique in a thread, because results are found by id. Some servers count from zero each time. */
function repeatedId(wanted: string, { isTaken }: CallPlace): string {
  let id = wanted;
  for (let suffix = 1; isTaken(id); suffix += 1) id = `${wanted}_${suffix}`;
  return id;
}

/** Some providers send no arguments at all for a tool without parameters. */
function noArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** Some providers report `stop` after calls, so the calls themselves decide. */
function finishOfCalls(
  reason: ModelFinish['finishReason'],
  calls: readonly ToolCall[],
): ModelFinish['finishReason'] {
  return calls.length > 0 ? 'tool_calls' : reason;
}

const MOST_TOKENS = 1_000_000_000;

/** Some servers report fractions, negative or absurd counts; sums and prices need whole numbers. */
function wholeTokens(count: number): number {
  return Math.min(Math.max(0, Math.trunc(count)) || 0, MOST_TOKENS);
}
