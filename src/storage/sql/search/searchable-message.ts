// The messages that the search finds by their words: those of people and the agent.
import { isJsonObject, type Json } from '../../../messages/message.ts';

export const SEARCHABLE_EVENTS = ['human_message', 'ai_message', 'ai_tool_call'] as const;

const SEARCHABLE: ReadonlySet<string> = new Set(SEARCHABLE_EVENTS);

/** Returns the message of an event; `undefined` for other events, and for messages without text. */
export function searchableMessage(
  eventType: string,
  content: Json,
): { readonly messageId: string; readonly type: 'human' | 'ai'; readonly text: string } | undefined {
  if (!SEARCHABLE.has(eventType) || !isJsonObject(content)) return undefined;
  const text = plainText(content.content ?? null);
  if (text === '') return undefined;
  const messageId = typeof content.id === 'string' ? content.id : '';
  return { messageId, type: eventType === 'human_message' ? 'human' : 'ai', text };
}

/** Returns a string unchanged, and text blocks joined. */
function plainText(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const blocks: readonly Json[] = content;
  return blocks
    .map((block) =>
      isJsonObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .join('\n');
}
