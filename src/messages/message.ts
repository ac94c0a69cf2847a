// The stored shape of a message, which is also its shape on the wire.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** True for an object, but not for a list. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One block of structured content. Blocks of other types are passed through unchanged. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | (JsonObject & { readonly type: string });

export type MessageContent = string | readonly ContentBlock[];

export interface ToolCall {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** Tokens of one model call. `input_tokens` includes cached, `output_tokens` includes reasoning tokens. */
export interface UsageMetadata {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
  readonly output_token_details?: { readonly reasoning?: number };
}

interface MessageFields {
  /** Unique in its thread and the same in every frame, row and state that shows the message. */
  readonly id: string;
  readonly content: MessageContent;
  readonly name: string | null;
  readonly additional_kwargs: JsonObject;
  readonly response_metadata: JsonObject;
}

export interface HumanMessage extends MessageFields {
  readonly type: 'human';
}

interface SystemMessage extends MessageFields {
  readonly type: 'system';
}

/** The reasoning text, if the model returned any, is `additional_kwargs.reasoning_content`. */
export interface AiMessage extends MessageFields {
  readonly type: 'ai';
  readonly tool_calls: readonly ToolCall[];
  readonly invalid_tool_calls: readonly JsonObject[];
  readonly usage_metadata: UsageMetadata | null;
}

export interface ToolMessage extends MessageFields {
  readonly type: 'tool';
  readonly tool_call_id: string;
  readonly artifact: Json;
  readonly status: 'success' | 'error';
}

export type Message = HumanMessage | SystemMessage | AiMessage | ToolMessage;

/** Removes the message with this id from the state; `__remove_all__` removes all of them. */
export interface RemoveMessage {
  readonly type: 'remove';
  readonly id: string;
}

export const REMOVE_ALL_MESSAGES = '__remove_all__';

/** The name of the author on the wire, beside `type` (docs/contract/state.md#fields). */
export type MessageRole = 'user' | 'assistant' | 'system' | 'tool';

const ROLES = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' } as const satisfies Record<
  Message['type'],
  MessageRole
>;

export function roleOf(type: Message['type']): MessageRole {
  return ROLES[type];
}

/** Returns the plain text of a message: a string as it is, or its text blocks joined and others omitted. */
export function textOf(content: MessageContent): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('');
}

const NO_FIELDS: JsonObject = Object.freeze({});

export function humanMessage(
  id: string,
  content: MessageContent,
  fields: Partial<MessageFields> = {},
): HumanMessage {
  return { ...blankFields(id, content), ...fields, type: 'human', id };
}

export function aiMessage(
  id: string,
  content: MessageContent,
  fields: Partial<Omit<AiMessage, 'type'>> = {},
): AiMessage {
  return {
    ...blankFields(id, content),
    tool_calls: [],
    invalid_tool_calls: [],
    usage_metadata: null,
    ...fields,
    type: 'ai',
    id,
  };
}

export function toolMessage(
  id: string,
  call: { readonly id: string; readonly name: string },
  result: {
    readonly content: MessageContent;
    readonly status?: ToolMessage['status'];
    readonly artifact?: Json;
  },
): ToolMessage {
  return {
    ...blankFields(id, result.content),
    type: 'tool',
    name: call.name,
    tool_call_id: call.id,
    artifact: result.artifact ?? null,
    status: result.status ?? 'success',
  };
}

function blankFields(id: string, content: MessageContent): MessageFields {
  return { id, content, name: null, additional_kwargs: NO_FIELDS, response_metadata: NO_FIELDS };
}
