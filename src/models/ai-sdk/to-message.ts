// One message of ours as one message, or one tool result, of the provider packages.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import {
  type AiMessage,
  type ContentBlock,
  type HumanMessage,
  type MessageContent,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';
import { imageUrl } from './image-url.ts';
import type { Provider } from './language-model.ts';
import { echoOf, type ProviderEcho } from './provider-echo.ts';

interface Rules {
  readonly provider: Provider;
  readonly supportsVision: boolean;
}

type VisiblePart = LanguageModelV4TextPart | LanguageModelV4FilePart;

export function userMessage(message: HumanMessage, rules: Rules): LanguageModelV4Message {
  return { role: 'user', content: visibleParts(message.content, rules.supportsVision) };
}

export function assistantMessage(message: AiMessage, rules: Rules): LanguageModelV4Message {
  const echo = echoOf(message);
  const text = textOf(message.content);
  return {
    role: 'assistant',
    content: [
      ...reasoningParts(message, echo, rules.provider),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...message.tool_calls.map((call) => callPart(call, echo)),
    ],
  };
}

export function toolResult(
  call: ToolCall,
  message: ToolMessage,
  rules: Rules,
): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId: call.id, toolName: call.name, output: outputOf(message, rules) };
}

/** Stands for the result of a call that never came: providers refuse a call without one. */
export function lostResult(call: ToolCall): LanguageModelV4ToolResultPart {
  const value = 'Error: this call was interrupted, and its result is not known.';
  return {
    type: 'tool-result',
    toolCallId: call.id,
    toolName: call.name,
    output: { type: 'error-text', value },
  };
}

function callPart(call: ToolCall, echo: ProviderEcho | undefined): LanguageModelV4ToolCallPart {
  const part = { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.args } as const;
  const options = echo?.calls[call.id];
  return options === undefined ? part : { ...part, providerOptions: options };
}

function reasoningParts(
  message: AiMessage,
  echo: ProviderEcho | undefined,
  provider: Provider,
): LanguageModelV4ReasoningPart[] {
  const reasoning = message.additional_kwargs.reasoning_content;
  const text = typeof reasoning === 'string' ? reasoning : '';
  switch (provider) {
    case 'anthropic':
    case 'google':
      return signedBlocks(text, echo, provider);
    case 'deepseek':
      return text === '' ? [] : [{ type: 'reasoning', text }];
    case 'openai-compatible':
      // Servers that want it back want it between a call and its result; others may refuse the field.
      return text === '' || message.tool_calls.length === 0 ? [] : [{ type: 'reasoning', text }];
    default:
      return [];
  }
}

// A signature fits exactly the text that it was made for: after any change, and for another provider, none is sent.
function signedBlocks(
  text: string,
  echo: ProviderEcho | undefined,
  provider: 'anthropic' | 'google',
): LanguageModelV4ReasoningPart[] {
  const blocks = echo?.reasoning ?? [];
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  if (length !== text.length) return [];
  let start = 0;
  return blocks.flatMap((block) => {
    const part = text.slice(start, start + block.length);
    start += block.length;
    return block.options[provider] === undefined
      ? []
      : [{ type: 'reasoning' as const, text: part, providerOptions: block.options }];
  });
}

function visibleParts(content: MessageContent, supportsVision: boolean): VisiblePart[] {
  const blocks: readonly ContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const parts = blocks.flatMap((block) => visiblePart(block, supportsVision));
  // Providers refuse a message without any content.
  return parts.length > 0 ? parts : [{ type: 'text', text: '(no text)' }];
}

function visiblePart(block: ContentBlock, supportsVision: boolean): VisiblePart[] {
  if (block.type === 'text' && typeof block.text === 'string') {
    return block.text === '' ? [] : [{ type: 'text', text: block.text }];
  }
  const url = imageUrl(block);
  if (url === undefined) return [{ type: 'text', text: `(content of type ${block.type} is not shown)` }];
  if (!supportsVision) return [{ type: 'text', text: '(an image is attached, which this model cannot see)' }];
  return [imagePart(url) ?? { type: 'text', text: '(an image is attached, and its address cannot be read)' }];
}

function imagePart(url: string): LanguageModelV4FilePart | undefined {
  const inline = /^data:(image\/[a-z0-9.+-]+);base64,/i.exec(url);
  const mediaType = inline?.[1];
  if (inline !== null && mediaType !== undefined) {
    return { type: 'file', mediaType, data: { type: 'data', data: url.slice(inline[0].length) } };
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return undefined;
  return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) } };
}

/** Providers that take images in the results of tools. */
const IN_RESULTS: ReadonlySet<Provider> = new Set<Provider>(['anthropic', 'google']);

function outputOf(message: ToolMessage, rules: Rules): LanguageModelV4ToolResultPart['output'] {
  if (imagesBeside(message, rules).length > 0) return textOutput(message, textOf(message.content));
  const parts = visibleParts(message.content, rules.supportsVision);
  if (parts.some((part) => part.type === 'file')) return { type: 'content', value: parts };
  return textOutput(message, parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
}

function textOutput({ status }: ToolMessage, value: string): LanguageModelV4ToolResultPart['output'] {
  return { type: status === 'error' ? 'error-text' : 'text', value };
}

export type ImagesBeside = readonly VisiblePart[];

/** Images of a result for a provider that takes none in there: they come behind the results, with its text. */
export function imagesBeside({ content }: ToolMessage, { provider, supportsVision }: Rules): ImagesBeside {
  if (!supportsVision || IN_RESULTS.has(provider) || typeof content === 'string') return NO_IMAGES;
  const images = visibleParts(content, true).filter(({ type }) => type === 'file');
  return images.length === 0 ? NO_IMAGES : [{ type: 'text', text: textOf(content) }, ...images];
}

const NO_IMAGES: ImagesBeside = [];
