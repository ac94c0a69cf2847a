// The stream parts of the provider packages as parts of our port, and the answer they add up to.
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Message, ToolCall, UsageMetadata } from '../../messages/message.ts';
import { ModelError, type ModelFinish, type ModelPart } from '../model.ts';
import { type CallCollector, createCallCollector } from './call-collector.ts';
import { createEchoRecorder, type EchoRecorder } from './provider-echo.ts';
import type { ProviderQuirks } from './quirks/quirks.ts';
import type { ArrivedText, TextShortcut } from './text-shortcut.ts';

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

export interface AnswerReader {
  /** Our part for theirs, if it has one. Throws the error of an `error` part, and `broken_stream`. */
  read(part: LanguageModelV4StreamPart): ModelPart | undefined;
  /** The part for a text that took the shortcut. */
  readArrived(text: ArrivedText): ModelPart;
}

interface Answer {
  readonly modelName: string;
  readonly calls: CallCollector;
  readonly echo: EchoRecorder;
  readonly shortcut: TextShortcut;
  readonly quirks: ProviderQuirks;
}

interface AnswerReaderParts extends Pick<Answer, 'modelName' | 'shortcut' | 'quirks'> {
  /** Of its thread. */
  readonly messages: readonly Message[];
}

/** Reads one answer. */
export function createAnswerReader({ messages, ...parts }: AnswerReaderParts): AnswerReader {
  const calls = createCallCollector({ ...parts, messages });
  const answer = { ...parts, calls, echo: createEchoRecorder() };
  return {
    read: (part) => readPart(part, answer),
    readArrived(text) {
      if (text.type === 'reasoning_delta') answer.echo.reasoningDelta(text.text.length, undefined);
      return text;
    },
  };
}

function readPart(part: LanguageModelV4StreamPart, answer: Answer): ModelPart | undefined {
  const { calls, echo, shortcut } = answer;
  switch (part.type) {
    case 'text-delta':
      return said('text_delta', part.delta, shortcut);
    case 'reasoning-start':
      echo.reasoningDelta(0, part.providerMetadata);
      return undefined;
    case 'reasoning-delta':
      echo.reasoningDelta(part.delta.length, part.providerMetadata);
      return said('reasoning_delta', part.delta, shortcut);
    case 'reasoning-end':
      echo.reasoningEnd(part.providerMetadata);
      return undefined;
    case 'tool-input-start':
      return calls.start(part.id, part.toolName);
    case 'tool-input-delta':
      return calls.grow(part.id, part.delta);
    case 'tool-call': {
      const { id, delta } = calls.complete(part);
      echo.call(id, part.providerMetadata);
      return delta;
    }
    case 'error':
      throw part.error;
    case 'finish':
      return finishOf(part, answer);
    default:
      return undefined;
  }
}

function said(
  type: 'text_delta' | 'reasoning_delta',
  text: string,
  shortcut: TextShortcut,
): ModelPart | undefined {
  if (text === '') return undefined;
  const lengths = shortcut.cameOut(text.length);
  return lengths === undefined ? { type, text } : { type, text, lengths };
}

function finishOf(
  { finishReason: theirs, usage }: FinishPart,
  { modelName, calls, echo, quirks }: Answer,
): ModelFinish {
  if (!isComplete(theirs)) throw broken(modelName, 'ended without being finished');
  const toolCalls = callsOf(theirs, { modelName, calls });
  const finishReason = quirks.finishReason(reasonOf(theirs), toolCalls);
  if (toolCalls.length === 0 && finishReason === 'tool_calls') {
    throw broken(modelName, 'announced a tool call and made none');
  }
  const counted = usageOf(usage, (count) => quirks.tokenCount(count ?? 0, undefined));
  return { type: 'finish', finishReason, toolCalls, usage: counted, providerMetadata: echo.result() };
}

/** An answer that was held back makes no calls; one that reached its longest length may have broken off in the middle. */
function callsOf(
  { unified }: LanguageModelV4FinishReason,
  { modelName, calls }: Pick<Answer, 'modelName' | 'calls'>,
): readonly ToolCall[] {
  if (unified === 'content-filter') return [];
  try {
    return calls.toolCalls();
  } catch (error) {
    if (unified !== 'length') throw error;
    const sentence = `The answer of model '${modelName}' reached its longest length in the middle of a tool call. Ask for the work in smaller pieces, or ask the administrator for a larger max_tokens.`;
    throw new ModelError('broken_stream', sentence, { cause: error });
  }
}

function broken(modelName: string, how: string): ModelError {
  return new ModelError('broken_stream', `The answer of model '${modelName}' ${how}. Try again.`);
}

function isComplete(reason: LanguageModelV4FinishReason): boolean {
  // A stream that just ends is `other` or `error` for some packages; only a finish has the provider's own word.
  return reason.raw !== undefined && reason.unified !== 'interrupted' && reason.unified !== 'error';
}

function reasonOf(reason: LanguageModelV4FinishReason): ModelFinish['finishReason'] {
  switch (reason.unified) {
    case 'stop':
    case 'length':
      return reason.unified;
    case 'content-filter':
      return 'content_filter';
    case 'tool-calls':
      return 'tool_calls';
    default:
      return 'other';
  }
}

function usageOf(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  tokens: (count: number | undefined) => number,
): UsageMetadata | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  const input = tokens(inputTokens.total);
  const output = tokens(outputTokens.total);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_token_details: {
      cache_read: tokens(inputTokens.cacheRead),
      cache_creation: tokens(inputTokens.cacheWrite),
    },
    output_token_details: { reasoning: tokens(outputTokens.reasoning) },
  };
}
