// The table of everything that providers want otherwise, or say otherwise. Prompts and answers run through it in this order.
import type { LanguageModelV4Message, LanguageModelV4ReasoningPart } from '@ai-sdk/provider';
import type { MessageContent, ToolCall } from '../../messages/message.ts';
import type { ModelFinish } from '../model.ts';
import type { Provider } from '../provider-options.ts';
import { neverEmpty, withoutEmptyReplies } from './empty-content.ts';
import { imageFiles, imagesBeside, type Part, type ShownResult, type Sight, unseenImages } from './images.ts';
import { cacheMarked, closed, instructionsApart, merged, opened } from './message-order.ts';
import {
  type CallPlace,
  finishOfCalls,
  missingId,
  noArguments,
  repeatedId,
  wholeTokens,
} from './odd-answers.ts';
import { type Reasoned, reasoningOfCalls, signedReasoning, wholeReasoning } from './reasoning-echo.ts';
import { type Thinking, type ThinkingOptions, thinkingOptions } from './thinking-options.ts';
import { type History, paired } from './tool-pairing.ts';

export type Prompt = readonly LanguageModelV4Message[];

/** What each step of a prompt, and of an answer, transforms, and what it knows beside it. */
interface Steps {
  /** The messages of the thread. */
  readonly history: [History, undefined];
  /** The content of one message. */
  readonly content: [readonly Part[], Sight];
  readonly result: [ShownResult, MessageContent];
  readonly reasoning: [readonly LanguageModelV4ReasoningPart[], Reasoned];
  /** Messages that stand side by side. */
  readonly neighbours: [Prompt, undefined];
  readonly beginning: [Prompt, undefined];
  readonly end: [Prompt, undefined];
  /** The prompt with its instructions. */
  readonly whole: [Prompt, undefined];
  /** What a request says beside its prompt. */
  readonly options: [ThinkingOptions, Thinking];
  /** Of the answer, from here on. */
  readonly callId: [string, CallPlace];
  readonly callArguments: [string, undefined];
  readonly finishReason: [ModelFinish['finishReason'], readonly ToolCall[]];
  readonly tokenCount: [number, undefined];
}

const ALL: readonly Provider[] = ['openai', 'openai-compatible', 'anthropic', 'google', 'deepseek'];

export const QUIRKS: { readonly [Step in keyof Steps]: readonly Quirk<Steps[Step][0], Steps[Step][1]>[] } = {
  history: [
    { name: 'instructions-first', providers: ALL, apply: instructionsApart },
    { name: 'tool-pairing', providers: ALL, apply: paired },
    { name: 'empty-answers', providers: ALL, apply: withoutEmptyReplies },
  ],
  content: [
    { name: 'unseen-images', providers: ALL, apply: unseenImages },
    { name: 'images', providers: ALL, apply: imageFiles },
    { name: 'empty-content', providers: ALL, apply: neverEmpty },
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
  neighbours: [{ name: 'alternating-roles', providers: ALL, apply: merged }],
  beginning: [{ name: 'person-first', providers: ALL, apply: opened }],
  end: [{ name: 'person-last', providers: ALL, apply: closed }],
  whole: [{ name: 'cache-marks', providers: ['anthropic'], apply: cacheMarked }],
  options: [{ name: 'thinking', providers: ALL, apply: thinkingOptions }],
  callId: [
    { name: 'missing-call-ids', providers: ALL, apply: missingId },
    { name: 'repeated-call-ids', providers: ALL, apply: repeatedId },
  ],
  callArguments: [{ name: 'no-arguments', providers: ALL, apply: noArguments }],
  finishReason: [{ name: 'finish-of-calls', providers: ALL, apply: finishOfCalls }],
  tokenCount: [{ name: 'whole-tokens', providers: ALL, apply: wholeTokens }],
};

export type ProviderQuirks = { readonly [Step in keyof Steps]: Transform<Steps[Step][0], Steps[Step][1]> };

/** The table for one provider: one transform a step. */
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
  /** Of its fixture, too. */
  readonly name: string;
  readonly providers: readonly Provider[];
  /** Pure. Answers the value itself where nothing is to be done. */
  apply(value: Value, context: Context): Value;
}

type Transform<Value, Context> = (value: Value, context: Context) => Value;

/** Those for the provider as one transform, in their order. */
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
