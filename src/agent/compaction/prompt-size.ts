// An estimate of the tokens of a prompt, without asking its provider.
import { type AiMessage, type Message, textOf } from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { summaryOf } from '../../messages/thread-summary.ts';
import { viewOf } from './thread-view.ts';

/** Holds roughly for every language: characters that are rare in a tokeniser's vocabulary have more bytes. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_000;
/** Role and separators. */
const TOKENS_PER_MESSAGE = 4;

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Returns an estimate, computed once per message. */
export const messageTokens = oncePerObject((message: Message) => {
  const calls = message.type === 'ai' ? message.tool_calls : [];
  const callTokens = calls.reduce((sum, call) => sum + textTokens(call.name + JSON.stringify(call.args)), 0);
  const images =
    typeof message.content === 'string' ? 0 : message.content.filter(({ type }) => type !== 'text').length;
  return TOKENS_PER_MESSAGE + textTokens(textOf(message.content)) + callTokens + images * TOKENS_PER_IMAGE;
});

export function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/**
 * Returns the tokens of the next prompt: the provider's count for the last reply, plus an estimate of what
 * came after it. A count from before the summary was written no longer applies.
 */
export function promptTokens(state: ThreadState): number {
  const { messages } = state;
  const index = messages.findLastIndex((message) => countedTokens(message) > 0);
  const counted = messages[index];
  const since = summaryOf(state)?.thread_length ?? 0;
  if (counted === undefined || index < since) return tokensOf(viewOf(state).shown);
  return countedTokens(counted) + tokensOf(messages.slice(index + 1));
}

function countedTokens(message: Message): number {
  return message.type === 'ai' ? usedTokens(message) : 0;
}

/** Omits reasoning, which is hardly ever sent back. */
function usedTokens({ usage_metadata: usage }: AiMessage): number {
  if (usage === null || usage.input_tokens === 0) return 0;
  const reasoning = usage.output_token_details?.reasoning ?? 0;
  return usage.input_tokens + Math.max(0, usage.output_tokens - reasoning);
}
