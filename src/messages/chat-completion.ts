// Messages and replies in chat-completion format, as the trace events of model calls show them.
import type { Json, JsonObject, Message, MessageContent, ToolCall, UsageMetadata } from './message.ts';
import { roleOf } from './message.ts';
import { oncePerObject } from './once-per-object.ts';

/** Returns the UTF-8 bytes of a prompt message's JSON text, cached. The texts are not: few are read. */
export const chatMessageBytes = oncePerObject((message: Message) =>
  Buffer.byteLength(chatMessageText(message)),
);

/** Returns the JSON text of one prompt message. If it is cut, its first `longest` characters are correct. */
export function chatMessageText(message: Message, longest = Number.POSITIVE_INFINITY): string {
  const { content } = message;
  const isLong = typeof content === 'string' && content.length > longest;
  // One character more, because half of a surrogate pair at the end would be escaped.
  return JSON.stringify(
    chatMessage(isLong ? { ...message, content: content.slice(0, longest + 1) } : message),
  );
}

/** Returns the JSON text of the system prompt as a prompt message. */
export function systemMessageText(system: string): string {
  return JSON.stringify({ role: 'system', content: system });
}

function chatMessage(message: Message): JsonObject {
  switch (message.type) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: contentJson(message.content) };
    case 'ai':
      return assistantMessage(message.content, message.tool_calls);
    case 'human':
    case 'system':
      return { role: roleOf(message.type), content: contentJson(message.content) };
  }
}

function assistantMessage(content: MessageContent, toolCalls: readonly ToolCall[]): JsonObject {
  if (toolCalls.length === 0) return { role: 'assistant', content: contentJson(content) };
  return {
    role: 'assistant',
    content: content.length === 0 ? null : contentJson(content),
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    })),
  };
}

function contentJson(content: MessageContent): Json {
  return typeof content === 'string' ? content : content.map((block) => ({ ...block }));
}

export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly usage: UsageMetadata | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Returns a finished reply as a chat-completion object. */
export function chatCompletion(completion: Completion): JsonObject {
  const { usage } = completion;
  return {
    id: completion.id,
    object: 'chat.completion',
    created: Math.floor(completion.createdAt / 1_000),
    model: completion.model,
    choices: [
      {
        index: 0,
        message: assistantMessage(completion.content, completion.toolCalls),
        finish_reason: completion.finishReason,
      },
    ],
    usage:
      usage === null
        ? null
        : {
            prompt_tokens: usage.input_tokens,
            completion_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens,
          },
  };
}
