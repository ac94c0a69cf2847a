// The end of a reply: whether it is complete, and what it adds up to.
import type { JsonObject, ToolCall, UsageMetadata } from '../../messages/message.ts';
import { ModelError, type ModelFinish } from '../model.ts';
import type { ProviderQuirks } from '../quirks/quirks.ts';
import type { CallCollector } from './call-collector.ts';

interface Ending {
  readonly modelName: string;
  /** The provider's reason for the end; `undefined` when it gave none. */
  readonly reason: ModelFinish['finishReason'] | undefined;
  readonly calls: CallCollector;
  readonly usage: UsageMetadata | null;
  readonly providerMetadata: JsonObject | undefined;
  readonly quirks: Pick<ProviderQuirks, 'finishReason'>;
}

/** Throws `broken_stream` for a reply that did not end as the protocol requires. */
export function finishOf({ modelName, reason, calls, usage, providerMetadata, quirks }: Ending): ModelFinish {
  if (reason === undefined) throw unfinished(modelName);
  const toolCalls = callsOf(reason, calls, modelName);
  const finishReason = quirks.finishReason(reason, toolCalls);
  if (toolCalls.length === 0 && finishReason === 'tool_calls') {
    throw broken(modelName, 'announced a tool call but made none');
  }
  return { type: 'finish', finishReason, toolCalls, usage, providerMetadata };
}

/** Returns the error for a reply whose end the provider did not announce. */
export function unfinished(modelName: string): ModelError {
  return broken(modelName, 'ended before it was complete');
}

/** Returns the calls: none if the reply was held back. At the maximum length, one may be incomplete. */
function callsOf(
  reason: ModelFinish['finishReason'],
  calls: CallCollector,
  modelName: string,
): readonly ToolCall[] {
  if (reason === 'content_filter') return [];
  try {
    return calls.toolCalls();
  } catch (error) {
    if (reason !== 'length') throw error;
    const sentence = `The answer of model '${modelName}' reached its longest length in the middle of a tool call. Ask for the work in smaller pieces, or ask the administrator for a larger max_tokens.`;
    throw new ModelError('broken_stream', sentence, { cause: error });
  }
}

function broken(modelName: string, how: string): ModelError {
  return new ModelError('broken_stream', `The answer of model '${modelName}' ${how}. Try again.`);
}
