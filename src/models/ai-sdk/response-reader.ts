// Converts the stream parts of a provider package to parts of our port, and adds up the finish.
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Message, UsageMetadata } from '../../messages/message.ts';
import { CallCollector, type CallDelta } from '../calls/call-collector.ts';
import { finishOf } from '../calls/finish.ts';
import type { ModelFinish, ModelPart } from '../model.ts';
import { EchoRecorder } from '../prompt/provider-echo.ts';
import type { ProviderQuirks } from '../quirks/quirks.ts';

/** Returns our part for theirs, if it has one. Throws the error of an `error` part, and `broken_stream`. */
export type ResponseReader = (part: LanguageModelV4StreamPart) => ModelPart | undefined;

interface ResponseReaderParts {
  readonly modelName: string;
  readonly quirks: ProviderQuirks;
  readonly messages: readonly Message[];
}

interface Reading extends Omit<ResponseReaderParts, 'messages'> {
  readonly calls: CallCollector;
  /** The index of the newest call for each id that the package gave. */
  readonly indices: Map<string, number>;
  readonly echo: EchoRecorder;
}

export function createResponseReader({ messages, modelName, quirks }: ResponseReaderParts): ResponseReader {
  const calls = new CallCollector({ modelName, messages, quirks });
  const reading = { modelName, quirks, calls, indices: new Map(), echo: new EchoRecorder() };
  return (part) => readPart(part, reading);
}

function readPart(part: LanguageModelV4StreamPart, reading: Reading): ModelPart | undefined {
  const { calls, indices, echo } = reading;
  switch (part.type) {
    case 'text-delta':
      return said('text_delta', part.delta);
    case 'reasoning-start':
      echo.reasoningDelta(0, part.providerMetadata);
      return undefined;
    case 'reasoning-delta':
      echo.reasoningDelta(part.delta.length, part.providerMetadata);
      return said('reasoning_delta', part.delta);
    case 'reasoning-end':
      echo.reasoningEnd(part.providerMetadata);
      return undefined;
    case 'tool-input-start':
      return started(part.id, part.toolName, reading);
    case 'tool-input-delta':
      return calls.grow(indices.get(part.id) ?? -1, part.delta);
    case 'tool-call':
      return completed(part, reading);
    case 'error':
      throw part.error;
    case 'finish':
      return finished(part, reading);
    default:
      return undefined;
  }
}

function said(type: 'text_delta' | 'reasoning_delta', text: string): ModelPart | undefined {
  return text === '' ? undefined : { type, text };
}

function started(wireId: string, name: string, { calls, indices }: Reading): CallDelta {
  const delta = calls.start(wireId, name);
  indices.set(wireId, delta.index);
  return delta;
}

/** Returns a delta only for a call that did not stream. */
function completed(part: LanguageModelV4ToolCall, reading: Reading): CallDelta | undefined {
  const { calls, indices, echo } = reading;
  const known = indices.get(part.toolCallId);
  const delta = known === undefined ? started(part.toolCallId, part.toolName, reading) : undefined;
  const index = known ?? delta?.index ?? -1;
  calls.complete(index, part.input);
  echo.call(calls.idOf(index), part.providerMetadata);
  return delta === undefined ? undefined : { ...delta, args: part.input };
}

function finished(
  { finishReason, usage }: Extract<LanguageModelV4StreamPart, { type: 'finish' }>,
  { modelName, calls, echo, quirks }: Reading,
): ModelFinish {
  return finishOf({
    modelName,
    reason: isComplete(finishReason) ? reasonOf(finishReason) : undefined,
    calls,
    usage: usageOf(usage, (count) => quirks.tokenCount(count ?? 0, undefined)),
    providerMetadata: echo.result(),
    quirks,
  });
}

function isComplete(reason: LanguageModelV4FinishReason): boolean {
  // Some packages report `other` or `error` for a cut stream. Only a finish has the provider's reason.
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
