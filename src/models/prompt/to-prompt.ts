// Converts messages to a prompt that each adapter encodes in its protocol. A message is converted once and
// reused in every later turn. The shapes are those of the provider packages.
import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import {
  type AiMessage,
  type HumanMessage,
  type Message,
  type MessageContent,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';
import type { ModelRequest } from '../model.ts';
import type { Provider } from '../model-options.ts';
import { isVisible, partsOf, type VisiblePart } from '../quirks/images.ts';
import type { Prompt, ProviderQuirks } from '../quirks/quirks.ts';
import { lostResult, type Turn } from '../quirks/tool-pairing.ts';
import { echoOf, type ProviderEcho } from './provider-echo.ts';

export interface PromptRules {
  readonly provider: Provider;
  readonly supportsVision: boolean;
}

interface Converted {
  readonly prompt: Prompt;
  readonly system: readonly string[];
}

export type PromptConverter = ReturnType<typeof createPromptConverter>;

interface ConvertedResult {
  readonly part: LanguageModelV4ToolResultPart;
  /** What the person's side shows of it, after the results of the message. */
  readonly beside: readonly VisiblePart[];
}

/** One converter per model. What it caches depends on the provider, and lives as long as the message. */
export function createPromptConverter(rules: PromptRules, quirks: ProviderQuirks) {
  const toTurn = turnConverter(rules, quirks);
  const convert = (messages: readonly Message[]): Converted => {
    const { turns, system } = quirks.history({ turns: messages, system: [] }, undefined);
    return { prompt: quirks.neighbours(turns.flatMap(toTurn), undefined), system };
  };
  return {
    /** Converts some messages of a thread. Their beginning and end are not those of a prompt. */
    convert,
    toPrompt: ({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): Prompt => {
      const { prompt, system: more } = convert(messages);
      const ends = quirks.end(quirks.beginning(prompt, undefined), undefined);
      return quirks.whole([...instructions([system, ...more]), ...ends], undefined);
    },
  };
}

/** Returns one message for the start, or none when there is nothing to say. */
export function instructions(texts: readonly string[]): Prompt {
  const content = texts.filter((text) => text !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'system', content }];
}

function turnConverter(rules: PromptRules, quirks: ProviderQuirks) {
  const users = new WeakMap<HumanMessage, LanguageModelV4Message>();
  const replies = new WeakMap<AiMessage, LanguageModelV4Message>();
  const results = new WeakMap<ToolMessage, ConvertedResult>();

  const visible = (content: MessageContent) => quirks.content(partsOf(content), rules).filter(isVisible);
  const reply = (message: AiMessage) =>
    remembered(replies, message, () => assistantMessage(message, rules, quirks));
  const result = (call: ToolCall, message: ToolMessage | undefined): ConvertedResult => {
    if (message === undefined) return { part: lostResult(call), beside: [] };
    return remembered(results, message, () => {
      const all = { shown: visible(message.content), beside: [] };
      const { shown, beside } = quirks.result(all, message.content);
      return { part: resultPart(call, message, shown), beside };
    });
  };

  return (turn: Turn): readonly LanguageModelV4Message[] => {
    switch (turn.type) {
      case 'human':
        return [remembered(users, turn, () => ({ role: 'user', content: visible(turn.content) }))];
      case 'ai':
        return [reply(turn)];
      case 'exchange': {
        const made = turn.results.map((it) => result(it.call, it.result));
        const beside = made.flatMap((it) => it.beside);
        return [
          reply(turn.message),
          { role: 'tool', content: made.map(({ part }) => part) },
          ...(beside.length > 0 ? [{ role: 'user' as const, content: beside }] : []),
        ];
      }
      default:
        // Instructions and results without a call: the quirks have removed them.
        return [];
    }
  };
}

function assistantMessage(
  message: AiMessage,
  { provider }: PromptRules,
  quirks: ProviderQuirks,
): LanguageModelV4Message {
  const echo = echoOf(message);
  const text = textOf(message.content);
  return {
    role: 'assistant',
    content: [
      ...quirks.reasoning([], { message, echo, provider }),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...message.tool_calls.map((call) => callPart(call, echo)),
    ],
  };
}

function callPart(call: ToolCall, echo: ProviderEcho | undefined): LanguageModelV4ToolCallPart {
  const part = { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.args } as const;
  const options = echo?.calls[call.id];
  return options === undefined ? part : { ...part, providerOptions: options };
}

function resultPart(
  call: ToolCall,
  { status }: ToolMessage,
  shown: readonly VisiblePart[],
): LanguageModelV4ToolResultPart {
  const part = { type: 'tool-result', toolCallId: call.id, toolName: call.name } as const;
  if (shown.some(({ type }) => type === 'file'))
    return { ...part, output: { type: 'content', value: [...shown] } };
  const value = shown.map((it) => (it.type === 'text' ? it.text : '')).join('');
  return { ...part, output: { type: status === 'error' ? 'error-text' : 'text', value } };
}

function remembered<Key extends object, Value>(
  cache: WeakMap<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
