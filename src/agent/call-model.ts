// One model call of the loop: streams the answer as events and says how it ended.

import { type AiMessage, aiMessage, type JsonObject } from '../messages/message.ts';
import { promptTexts } from '../messages/prompt-texts.ts';
import { ModelError, type ModelFinish, type ModelPart, type ModelRequest } from '../models/model.ts';
import type { AgentEvent, Caller } from './agent-event.ts';

export interface ModelCall {
  readonly caller: Caller;
  readonly modelName: string;
  readonly messageId: string;
  readonly request: ModelRequest;
  readonly stream: (request: ModelRequest) => AsyncIterable<ModelPart>;
  readonly now: () => number;
}

/** `partial` is what the model had said before the call ended; absent when it had said nothing. */
export type ModelOutcome =
  | { readonly kind: 'answered'; readonly message: AiMessage }
  | { readonly kind: 'aborted'; readonly partial: AiMessage | undefined }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly partial: AiMessage | undefined };

/** An answer that breaks off is asked for once more; text of the first try gives way to that of the second. */
const MAX_TRIES = 2;

/** Calls the model. Failures of the model and aborts are outcomes; nothing is thrown for them. */
export async function* callModel(call: ModelCall): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  for (let attempt = 1; ; attempt++) {
    const outcome = yield* tryModel(call);
    const repeat = outcome.kind === 'failed' && outcome.error.kind === 'broken_stream' && attempt < MAX_TRIES;
    if (!repeat) return outcome;
    if (outcome.partial !== undefined) yield { type: 'message_restart', messageId: call.messageId };
  }
}

async function* tryModel(call: ModelCall): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  const { caller, modelName: model, messageId } = call;
  const startedAt = call.now();
  const said = { text: '', reasoning: '' };
  yield { type: 'model_call_start', caller, model, messageId, prompt: () => promptTexts(call.request) };
  try {
    for await (const part of call.stream(call.request)) {
      if (part.type === 'finish') {
        const message = answer(call, said, part);
        yield* endEvents(call, message, { finish: part, latencyMs: call.now() - startedAt });
        return { kind: 'answered', message };
      }
      const event = progressOf(messageId, said, part);
      if (event !== undefined) yield event;
    }
    throw new ModelError('broken_stream', 'The model ended its answer without saying that it was finished.');
  } catch (error) {
    return yield* failedCall(call, said, error);
  }
}

interface Said {
  text: string;
  reasoning: string;
}

function progressOf(
  messageId: string,
  said: Said,
  part: Exclude<ModelPart, ModelFinish>,
): AgentEvent | undefined {
  switch (part.type) {
    case 'text_delta':
      said.text += part.text;
      return { ...part, messageId };
    case 'reasoning_delta':
      said.reasoning += part.text;
      return { ...part, messageId };
    case 'tool_call_delta':
      return { ...part, messageId };
    case 'retry':
      return {
        type: 'custom',
        data: {
          type: 'llm_retry',
          attempt: part.attempt,
          max_attempts: part.maxAttempts,
          wait_ms: part.waitMs,
          reason: part.reason,
        },
      };
    default:
      return part satisfies never;
  }
}

function answer(call: ModelCall, said: Said, finish: ModelFinish): AiMessage {
  return aiMessage(call.messageId, said.text, {
    additional_kwargs: additionalFields(said, finish.providerMetadata),
    response_metadata: { model_name: call.modelName, finish_reason: finish.finishReason },
    tool_calls: finish.toolCalls,
    usage_metadata: finish.usage,
  });
}

function additionalFields(said: Said, providerMetadata: JsonObject | undefined): JsonObject {
  return {
    ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
    ...(providerMetadata === undefined ? {} : { provider_metadata: providerMetadata }),
  };
}

function* endEvents(
  call: ModelCall,
  message: AiMessage,
  end: { readonly finish: ModelFinish; readonly latencyMs: number },
): Generator<AgentEvent, void, void> {
  yield {
    type: 'model_call_end',
    caller: call.caller,
    model: call.modelName,
    messageId: message.id,
    content: typeof message.content === 'string' ? message.content : '',
    toolCalls: message.tool_calls,
    finishReason: end.finish.finishReason,
    usage: end.finish.usage,
    latencyMs: end.latencyMs,
  };
  yield {
    type: 'message_end',
    messageId: message.id,
    usage: end.finish.usage,
    responseMetadata: message.response_metadata,
  };
}

async function* failedCall(
  call: ModelCall,
  said: Said,
  error: unknown,
): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  const aborted = call.request.signal.aborted;
  const partial = partialAnswer(call, said, aborted ? 'interrupted' : 'error');
  if (aborted) return { kind: 'aborted', partial };
  if (!(error instanceof ModelError)) throw error;
  const { caller, modelName: model } = call;
  yield { type: 'model_call_failed', caller, model, kind: error.kind, message: error.message };
  return { kind: 'failed', error, partial };
}

function partialAnswer(call: ModelCall, said: Said, reason: 'interrupted' | 'error'): AiMessage | undefined {
  if (said.text === '' && said.reasoning === '') return undefined;
  return aiMessage(call.messageId, said.text, {
    additional_kwargs: additionalFields(said, undefined),
    response_metadata: { model_name: call.modelName, finish_reason: reason },
  });
}
