// Each tool call has its one result right after it, and no other: providers refuse any other history.
import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import {
  type AiMessage,
  type Message,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../messages/message.ts';
import type { Part } from './images.ts';

/** A message with calls and their results, in order. A call whose result is lost has none. */
interface Exchange {
  readonly type: 'exchange';
  readonly message: AiMessage;
  readonly results: readonly { readonly call: ToolCall; readonly result: ToolMessage | undefined }[];
}

export type Turn = Message | Exchange;

export interface History {
  readonly turns: readonly Turn[];
  /** Instructions taken out of the history. */
  readonly system: readonly string[];
}

/** Moves results right after their call. Searches up to the model's next message; others are left out. */
export function paired({ turns, system }: History): History {
  const pairs: Turn[] = [];
  turns.forEach((turn, index) => {
    if (turn.type === 'ai' && turn.tool_calls.length > 0) pairs.push(exchangeOf(turn, turns, index));
    else if (turn.type !== 'tool') pairs.push(turn);
  });
  return { turns: pairs, system };
}

function exchangeOf(message: AiMessage, turns: readonly Turn[], index: number): Exchange {
  const candidates: ToolMessage[] = [];
  for (let next = index + 1; next < turns.length; next += 1) {
    const candidate = turns[next];
    if (candidate?.type === 'ai') break;
    if (candidate?.type === 'tool') candidates.push(candidate);
  }
  const results = message.tool_calls.map((call) => {
    const position = candidates.findIndex((candidate) => candidate.tool_call_id === call.id);
    // Removed from the candidates, so that two calls with one id get two results in order.
    const [result] = position === -1 ? [] : candidates.splice(position, 1);
    return { call, result };
  });
  return { type: 'exchange', message, results };
}

/** Returns a substitute for a result that never came: providers refuse a call without one. */
export function lostResult(call: ToolCall): LanguageModelV4ToolResultPart {
  const value = 'Error: this call was interrupted, and its result is not known.';
  return {
    type: 'tool-result',
    toolCallId: call.id,
    toolName: call.name,
    output: { type: 'error-text', value },
  };
}

/** Leaves out messages of the model without text and calls. */
export function withoutEmptyReplies(history: History): History {
  const { turns, system } = history;
  const isKept = (turn: Turn) => turn.type !== 'ai' || saysSomething(turn);
  return turns.every(isKept) ? history : { turns: turns.filter(isKept), system };
}

/** Whether the message is a reply that is sent to the provider. */
export function isReply(message: Message | undefined): boolean {
  return message?.type === 'ai' && saysSomething(message);
}

function saysSomething(message: AiMessage): boolean {
  return message.tool_calls.length > 0 || textOf(message.content) !== '';
}

export function neverEmpty(parts: readonly Part[]): readonly Part[] {
  return parts.length > 0 ? parts : [{ type: 'text', text: '(no text)' }];
}
