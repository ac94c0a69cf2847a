// Our messages as the provider packages want them. A message is converted once and reused in every later turn.
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { AiMessage, HumanMessage, ToolCall, ToolMessage } from '../../messages/message.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import type { Provider } from './language-model.ts';
import { type PromptTurn, pairToolResults } from './pair-tool-results.ts';
import { assistantMessage, lostResult, toolResult, userMessage } from './to-message.ts';

export interface PromptRules {
  readonly provider: Provider;
  readonly supportsVision: boolean;
}

export interface PromptConverter {
  toPrompt(request: Pick<ModelRequest, 'system' | 'messages'>): LanguageModelV4Prompt;
  toTools(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[];
}

/** One converter a model: what it remembers depends on the provider, and lives as long as the message itself. */
export function createPromptConverter(rules: PromptRules): PromptConverter {
  const cache = {
    users: new WeakMap<HumanMessage, LanguageModelV4Message>(),
    answers: new WeakMap<AiMessage, LanguageModelV4Message>(),
    results: new WeakMap<ToolMessage, LanguageModelV4ToolResultPart>(),
    tools: new WeakMap<ToolSpec, LanguageModelV4FunctionTool>(),
  };
  const user = (message: HumanMessage) => remembered(cache.users, message, () => userMessage(message, rules));
  const assistant = (message: AiMessage) =>
    remembered(cache.answers, message, () => assistantMessage(message, rules));
  const result = (call: ToolCall, message: ToolMessage | undefined) =>
    message === undefined
      ? lostResult(call)
      : remembered(cache.results, message, () => toolResult(call, message, rules));

  const toMessages = (turn: PromptTurn): LanguageModelV4Message[] => {
    if (turn.kind === 'human') return [user(turn.message)];
    if (turn.results.length === 0) return [assistant(turn.message)];
    const content = turn.results.map((it) => result(it.call, it.result));
    return [assistant(turn.message), { role: 'tool', content }];
  };
  return {
    toPrompt: ({ system, messages }) => {
      const history = pairToolResults(messages);
      const instructions = [system, ...history.system].filter((text) => text !== '').join('\n\n');
      const prompt: LanguageModelV4Message[] =
        instructions === '' ? [] : [{ role: 'system', content: instructions }];
      const turns = history.turns.flatMap(toMessages);
      if (turns[0]?.role !== 'user') prompt.push(words('(The conversation began earlier.)'));
      for (const message of turns) appendMerged(prompt, message);
      if (prompt.at(-1)?.role === 'assistant') prompt.push(words('Continue.'));
      return rules.provider === 'anthropic' ? withCacheMarks(prompt) : prompt;
    },
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

function words(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

// Chat templates of many servers demand that the roles alternate.
function appendMerged(prompt: LanguageModelV4Message[], message: LanguageModelV4Message): void {
  const last = prompt.at(-1);
  if (last?.role === 'user' && message.role === 'user') {
    prompt[prompt.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
  } else if (last?.role === 'assistant' && message.role === 'assistant') {
    prompt[prompt.length - 1] = { role: 'assistant', content: [...last.content, ...message.content] };
  } else {
    prompt.push(message);
  }
}

// Anthropic caches a prompt only up to a mark: one behind the instructions, one behind the newest message.
function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return prompt.map((message, index) =>
    message.role === 'system' || index === prompt.length - 1 ? { ...message, providerOptions } : message,
  );
}

function toTool({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool {
  // Both sides call it JSON Schema; ours is immutable and not typed by keyword.
  const schema = inputSchema as LanguageModelV4FunctionTool['inputSchema'];
  return { type: 'function', name, description, inputSchema: schema };
}
