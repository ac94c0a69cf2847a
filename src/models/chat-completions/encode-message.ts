// One message of a prompt in the form of chat completions. The order of its fields matters: providers cache
// beginnings that are the same byte by byte.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { Json, JsonObject } from '../../messages/message.ts';
import type { ProviderProfile } from './provider-profile.ts';

type Content<Role extends LanguageModelV4Message['role']> = Extract<
  LanguageModelV4Message,
  { role: Role }
>['content'];

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;

export interface MessageRules {
  readonly profile: ProviderProfile;
  /** Whether reasoning is sent back with this message, where the provider wants it. */
  readonly withReasoning: boolean;
}

/** Returns one message, or one for each result of a tool message. */
export function encodeMessage(message: LanguageModelV4Message, rules: MessageRules): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ role: rules.profile.instructions, content: message.content }];
    case 'user':
      return [{ role: 'user', content: wordsOf(message.content, rules) }];
    case 'assistant':
      return [responseOf(message.content, rules)];
    case 'tool':
      return message.content.flatMap((it) => (it.type === 'tool-result' ? [resultOf(it, rules)] : []));
  }
}

function wordsOf(parts: Content<'user'>, { profile }: MessageRules): Json {
  const [only, ...others] = parts;
  if (only?.type === 'text' && others.length === 0) return only.text;
  const isText = parts.every(({ type }) => type === 'text');
  return isText && profile.texts === 'one-text' ? textIn(parts) : parts.flatMap(blocksOf);
}

function blocksOf(part: Part): readonly JsonObject[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  const { data, mediaType } = part;
  if (data.type === 'url') return [{ type: 'image_url', image_url: { url: data.url.toString() } }];
  if (data.type !== 'data' || typeof data.data !== 'string') return [];
  return [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,${data.data}` } }];
}

function responseOf(parts: Content<'assistant'>, { profile, withReasoning }: MessageRules): JsonObject {
  const text = textIn(parts);
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [callOf(part, profile)] : []));
  const reasoning = withReasoning
    ? parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
    : '';
  const isReasoningSent = reasoning !== '' || profile.reasoningBack === 'always';
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? profile.noContent : text,
    ...(isReasoningSent ? { reasoning_content: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function callOf(
  { toolCallId: id, toolName: name, input, providerOptions }: LanguageModelV4ToolCallPart,
  { isSigned }: ProviderProfile,
): JsonObject {
  const signature = (providerOptions?.compatible ?? providerOptions?.google)?.thoughtSignature;
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  if (!isSigned || typeof signature !== 'string') return call;
  return { ...call, extra_content: { google: { thought_signature: signature } } };
}

function resultOf(
  { toolCallId, output }: LanguageModelV4ToolResultPart,
  { profile }: MessageRules,
): JsonObject {
  return { role: 'tool', tool_call_id: toolCallId, content: outputText(output, profile) };
}

function outputText(output: LanguageModelV4ToolResultPart['output'], profile: ProviderProfile): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return profile.failedResult === 'object' ? JSON.stringify({ error: output.value }) : output.value;
    case 'content':
      return textIn(output.value);
    default:
      return '';
  }
}

function textIn(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
