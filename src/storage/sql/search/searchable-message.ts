// What of a run event can be found by its words: what people and the agent said to each other.
import { isJsonObject, type Json } from '../../../messages/message.ts';

export interface SearchableMessage {
  readonly messageId: string;
  readonly type: 'human' | 'ai';
  readonly text: string;
}

export const SEARCHABLE_EVENTS = ['human_message', 'ai_message', 'ai_tool_call'] as const;

const SEARCHABLE: ReadonlySet<string> = new Set(SEARCHABLE_EVENTS);

/** `undefined` for everything else, and for messages without a text. */
export function searchableMessage(eventType: string, content: Json): SearchableMessage | undefined {
  if (!SEARCHABLE.has(eventType) || !isJsonObject(content)) return undefined;
  const text = plainText(content.content ?? null);
  if (text === '') return undefined;
  const messageId = typeof content.id === 'string' ? content.id : '';
  return { messageId, type: eventType === 'human_message' ? 'human' : 'ai', text };
}

/** A string as it is, text blocks joined. */
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
