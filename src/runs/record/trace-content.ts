// Trace contents cut at a number of bytes, on a character boundary (docs/contract/record.md#events).
import type { Json, JsonObject } from '../../messages/message.ts';
import type { PromptTexts } from '../../messages/prompt-texts.ts';
import { JsonText } from '../../storage/run-events.ts';

interface CutContent {
  readonly content: string | JsonText;
  /** Says so when something was cut off. */
  readonly metadata: JsonObject;
}

/** A structured content is measured as its JSON text, and is that text, cut, when it is too long. */
export function cutTrace(content: Json, limitBytes: number): CutContent {
  const isText = typeof content === 'string';
  const text = isText ? content : JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > limitBytes) return cut(text, bytes, limitBytes);
  return { content: isText ? text : new JsonText(text), metadata: {} };
}

/** The content of an `llm_request`. Message texts come ready-made, and past the limit they are not even looked at. */
export function promptTrace(
  model: string,
  { texts, bytes: messageBytes }: PromptTexts,
  limitBytes: number,
): CutContent {
  let text = `{"model":${JSON.stringify(model)},"messages":[`;
  const bytes = Buffer.byteLength(text) + messageBytes + 2;
  let separator = '';
  // A character is a byte or more, so what is left out here would be cut off, too.
  for (const message of texts(limitBytes)) {
    if (text.length > limitBytes) break;
    text += separator + message;
    separator = ',';
  }
  text += ']}';
  return bytes <= limitBytes ? { content: new JsonText(text), metadata: {} } : cut(text, bytes, limitBytes);
}

function cut(text: string, bytes: number, limitBytes: number): CutContent {
  return {
    content: utf8Prefix(text, limitBytes),
    metadata: { content_truncated: true, original_byte_length: bytes },
  };
}

function utf8Prefix(text: string, limitBytes: number): string {
  const head = Buffer.from(text.slice(0, limitBytes));
  if (head.length <= limitBytes) return head.toString();
  let end = limitBytes;
  // 10xxxxxx continues a character: step back to where that character begins.
  while (end > 0 && ((head[end] ?? 0) & 0xc0) === 0x80) end--;
  return head.subarray(0, end).toString();
}
