// Messages as a text that a model is asked to summarise: data, and no turns of its own.
import { type JsonObject, type Message, roleOf, textOf } from '../../messages/message.ts';
import { textTokens } from './prompt-size.ts';

const MOST_CHARACTERS = 8_000;
const LEAST_CHARACTERS = 200;

/** One line of JSON a message. Long ones lose their middle first, then the whole does, down to `maxTokens`. */
export function transcriptOf(messages: readonly Message[], maxTokens: number): string {
  for (let limit = MOST_CHARACTERS; ; limit /= 2) {
    const text = messages.map((message) => JSON.stringify(entryOf(message, limit))).join('\n');
    const tokens = textTokens(text);
    if (tokens <= maxTokens) return text;
    if (limit / 2 < LEAST_CHARACTERS) return withoutMiddle(text, (text.length * maxTokens) / tokens);
  }
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
