// Our messages as the provider packages want them. A message is converted once and reused in every later turn.
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { AiMessage, HumanMessage, Message, ToolCall, ToolMessage } from '../../messages/message.ts';
import type { ToolSpec } from '../model.ts';
import type { Provider } from './language-model.ts';
import { type PromptTurn, pairToolResults } from './pair-tool-results.ts';
import { type Converted, closed, instructions, merged, opened, type ToPrompt } from './prompt-shape.ts';
import {
  assistantMessage,
  type ImagesBeside,
  imagesBeside,
  lostResult,
  toolResult,
  userMessage,
} from './to-message.ts';
import { withSentHistory } from './with-sent-history.ts';

export interface PromptRules {
  readonly provider: Provider;
  readonly supportsVision: boolean;
}

export interface PromptConverter {
  readonly toPrompt: ToPrompt;
  toTools(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[];
}

/** One converter a model: what it remembers depends on the provider, and lives as long as the message itself. */
export function createPromptConverter(rules: PromptRules): PromptConverter {
  const cache = {
    users: new WeakMap<HumanMessage, LanguageModelV4Message>(),
    answers: new WeakMap<AiMessage, LanguageModelV4Message>(),
    results: new WeakMap<ToolMessage, LanguageModelV4ToolResultPart>(),
    images: new WeakMap<ToolMessage, ImagesBeside>(),
    tools: new WeakMap<ToolSpec, LanguageModelV4FunctionTool>(),
  };
  const user = (message: HumanMessage) => remembered(cache.users, message, () => userMessage(message, rules));
  const assistant = (message: AiMessage) =>
    remembered(cache.answers, message, () => assistantMessage(message, rules));
  const result = (call: ToolCall, message: ToolMessage | undefined) =>
    message === undefined
      ? lostResult(call)
      : remembered(cache.results, message, () => toolResult(call, message, rules));

  const shown = (message: ToolMessage) =>
    remembered(cache.images, message, () => imagesBeside(message, rules));

  const toMessages = (turn: PromptTurn): LanguageModelV4Message[] => {
    if (turn.kind === 'human') return [user(turn.message)];
    if (turn.results.length === 0) return [assistant(turn.message)];
    const content = turn.results.map((it) => result(it.call, it.result));
    const images = turn.results.flatMap((it) => (it.result === undefined ? [] : shown(it.result)));
    return [
      assistant(turn.message),
      { role: 'tool', content },
      ...(images.length === 0 ? [] : [{ role: 'user' as const, content: images }]),
    ];
  };
  const convert = (messages: readonly Message[]): Converted => {
    const { turns, system } = pairToolResults(messages);
    return { prompt: merged(turns.flatMap(toMessages)), system };
  };
  const toPrompt = rules.provider === 'anthropic' ? cacheMarked(convert) : whole(convert);
  return {
    toPrompt: ONE_BY_ONE.has(rules.provider) ? withSentHistory(convert, toPrompt) : toPrompt,
    toTools: (tools) => tools.map((tool) => remembered(cache.tools, tool, () => toTool(tool))),
  };
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

/** Providers whose package makes the same of a message whatever stands before and after it. */
const ONE_BY_ONE: ReadonlySet<string> = new Set<Provider>(['openai', 'openai-compatible']);

function whole(convert: (messages: readonly Message[]) => Converted): ToPrompt {
  return ({ system, messages }) => {
    const { prompt, system: more } = convert(messages);
    return { prompt: [...instructions([system, ...more]), ...closed(opened(prompt))] };
  };
}

// Anthropic caches a prompt only up to a mark: one behind the instructions, one behind the newest message.
function cacheMarked(convert: (messages: readonly Message[]) => Converted): ToPrompt {
  const toPrompt = whole(convert);
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return (request) => {
    const { prompt } = toPrompt(request);
    return {
      prompt: prompt.map((message, index) =>
        message.role === 'system' || index === prompt.length - 1 ? { ...message, providerOptions } : message,
      ),
    };
  };
}

function toTool({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool {
  // Both sides call it JSON Schema; ours is immutable and not typed by keyword.
  const schema = inputSchema as LanguageModelV4FunctionTool['inputSchema'];
  return { type: 'function', name, description, inputSchema: schema };
}
