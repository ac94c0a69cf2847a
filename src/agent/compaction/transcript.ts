// Messages as text that a model is asked to summarise: data, not turns of the conversation.
import { type JsonObject, type Message, roleOf, textOf } from '../../messages/message.ts';
import { messageTokens, textTokens } from './prompt-size.ts';

/** Per message. */
const MOST_TOKENS = 2_048;
const LEAST_TOKENS = 64;
const CHARACTERS_PER_TOKEN = 4;
const LINE_TOKENS = 16;

/** Returns one line of JSON per message. Long messages, then the whole text, lose their middle to fit. */
export function transcriptOf(messages: readonly Message[], maxTokens: number): string {
  const limit = CHARACTERS_PER_TOKEN * tokensEach(messages, maxTokens);
  const text = messages.map((message) => JSON.stringify(entryOf(message, limit))).join('\n');
  const tokens = textTokens(text);
  return tokens <= maxTokens ? text : withoutMiddle(text, (text.length * maxTokens) / tokens);
}

/** Returns the limit for a single message with which all messages fit, as far as possible. */
function tokensEach(messages: readonly Message[], maxTokens: number): number {
  for (let limit = MOST_TOKENS; limit > LEAST_TOKENS; limit /= 2) {
    const sum = messages.reduce((all, it) => all + LINE_TOKENS + Math.min(limit, messageTokens(it)), 0);
    if (sum <= maxTokens) return limit;
  }
  return LEAST_TOKENS;
}

function entryOf(message: Message, limit: number): JsonObject {
  const content = withoutMiddle(textOf(message.content), limit);
  const calls = message.type === 'ai' ? message.tool_calls : [];
  return {
    role: roleOf(message.type),
    ...(message.type === 'tool' ? { tool: message.name } : {}),
    content,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ name, args }) => ({
            name,
            args: withoutMiddle(JSON.stringify(args), limit),
          })),
        }),
  };
}

function withoutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)} … (${left} characters left out) … ${half === 0 ? '' : text.slice(-half)}`;
}
