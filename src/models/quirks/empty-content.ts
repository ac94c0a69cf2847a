// Providers refuse a message without any content.
import { type AiMessage, type Message, textOf } from '../../messages/message.ts';
import type { Part } from './images.ts';
import type { History, Turn } from './tool-pairing.ts';

/** Answers without words and without calls are left out. */
export function withoutEmptyReplies(history: History): History {
  const { turns, system } = history;
  const isKept = (turn: Turn) => turn.type !== 'ai' || saysSomething(turn);
  return turns.every(isKept) ? history : { turns: turns.filter(isKept), system };
}

/** An answer that the provider is sent. */
export function isReply(message: Message | undefined): boolean {
  return message?.type === 'ai' && saysSomething(message);
}

function saysSomething(message: AiMessage): boolean {
  return message.tool_calls.length > 0 || textOf(message.content) !== '';
}

export function neverEmpty(parts: readonly Part[]): readonly Part[] {
  return parts.length > 0 ? parts : [{ type: 'text', text: '(no text)' }];
}
