// A history that every provider accepts: each tool call has its one result right after it, and nothing else does.
import {
  type AiMessage,
  type HumanMessage,
  type Message,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';

/** What the provider sees of the history, in order. A call whose result is lost has none. */
export type PromptTurn =
  | { readonly kind: 'human'; readonly message: HumanMessage }
  | {
      readonly kind: 'ai';
      readonly message: AiMessage;
      readonly results: readonly { readonly call: ToolCall; readonly result: ToolMessage | undefined }[];
    };

export interface PairedHistory {
  readonly turns: readonly PromptTurn[];
  /** System messages out of the history: most providers take them at the very start only. */
  readonly system: readonly string[];
}

/**
 * Results are looked for up to the next answer of the model, and moved right behind their call. Results without a call
 * and answers without any content are left out.
 */
export function pairToolResults(messages: readonly Message[]): PairedHistory {
  const turns: PromptTurn[] = [];
  const system: string[] = [];
  messages.forEach((message, index) => {
    if (message.type === 'system') system.push(textOf(message.content));
    else if (message.type === 'human') turns.push({ kind: 'human', message });
    else if (message.type === 'ai' && saysSomething(message)) {
      turns.push({ kind: 'ai', message, results: resultsOf(message, messages, index) });
    }
  });
  return { turns, system };
}

/** An answer that the provider is sent. */
export function isAnswer(message: Message | undefined): boolean {
  return message?.type === 'ai' && saysSomething(message);
}

function saysSomething(message: AiMessage): boolean {
  return message.tool_calls.length > 0 || textOf(message.content) !== '';
}

function resultsOf(message: AiMessage, messages: readonly Message[], index: number) {
  if (message.tool_calls.length === 0) return [];
  const candidates: ToolMessage[] = [];
  for (let next = index + 1; next < messages.length; next += 1) {
    const candidate = messages[next];
    if (candidate?.type === 'ai') break;
    if (candidate?.type === 'tool') candidates.push(candidate);
  }
  return message.tool_calls.map((call) => {
    const position = candidates.findIndex((candidate) => candidate.tool_call_id === call.id);
    // Taken out, so that two calls with one id get two results in order.
    const [result] = position === -1 ? [] : candidates.splice(position, 1);
    return { call, result };
  });
}
