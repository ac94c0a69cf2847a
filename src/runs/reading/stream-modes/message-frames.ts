// `messages-tuple`, its pieces in `events`, and `messages`: messages while they are written, and whole ones.
import type { MessageDelta, MessageEnd, MessageRestart, TextDelta } from '../../../agent/agent-event.ts';
import type { ToolMessage } from '../../../messages/message.ts';
import { serializedMessage } from '../../../messages/serialized-message.ts';
import { serializedMessages } from '../../../messages/thread-state.ts';
import type { MessagePiece } from '../../log/log-event.ts';
import type { Frame, ShownState } from '../../request/stream-modes.ts';
import type { FrameContext } from './frame-context.ts';
import { modelStreamFrame } from './langchain-events.ts';

export function textFrames(event: TextDelta, context: FrameContext): readonly Frame[] {
  const { type, messageId, text, lengths } = event;
  const frames: Frame[] = [];
  if (lengths === undefined) {
    addChunk(frames, context, { messageId, chunk: textChunk(type, text, messageId) });
    return withPartial(frames, event, context);
  }
  let start = 0;
  for (const length of lengths) {
    const piece = text.slice(start, start + length);
    addChunk(frames, context, { messageId, chunk: textChunk(type, piece, messageId) });
    start += length;
  }
  return withPartial(frames, event, context);
}

/** Shows a piece of a tool call, or the end of the message with its usage. */
export function chunkFrames(
  event: Exclude<MessageDelta, TextDelta> | MessageEnd,
  context: FrameContext,
): readonly Frame[] {
  const frames: Frame[] = [];
  const chunk = event.type === 'message_end' ? endChunk(event) : callChunk(event);
  addChunk(frames, context, { messageId: event.messageId, chunk });
  return withPartial(frames, event, context);
}

/** Declares what was shown of the message void. */
export function restartFrames(event: MessageRestart, context: FrameContext): readonly Frame[] {
  const removal = JSON.stringify({ type: 'remove', id: event.messageId });
  const frames = context.modes.has('messages-tuple') ? [messageFrame(removal, context.metadata.model)] : [];
  return withPartial(frames, event, context);
}

export function toolResultFrames(message: ToolMessage, context: FrameContext): readonly Frame[] {
  if (!context.modes.has('messages-tuple')) return [];
  return [messageFrame(serializedMessage(message).text, context.metadata.tools)];
}

/** Shows the reply of a step whose pieces were pruned. */
export function wholeMessageFrames({ delta, whole }: ShownState, context: FrameContext): readonly Frame[] {
  if (!whole || !context.modes.has('messages-tuple')) return [];
  const replies = delta.messages.filter((message) => message.type === 'ai');
  return replies.map((message) => messageFrame(serializedMessage(message).text, context.metadata.model));
}

/** `messages`: shows what a step added or changed. Earlier messages are in the state. */
export function completeFrames({ delta }: ShownState, { modes }: FrameContext): readonly Frame[] {
  if (!modes.has('messages')) return [];
  const messages = delta.messages.filter((message) => message.type !== 'remove');
  return messages.length === 0 ? [] : [{ event: 'messages/complete', data: serializedMessages(messages) }];
}

/** Appends the message as of this piece to the frames, for a reader of `messages`. */
function withPartial(
  frames: readonly Frame[],
  piece: MessagePiece,
  { growing, metadata }: FrameContext,
): readonly Frame[] {
  if (growing === undefined) return frames;
  const { messageId } = piece;
  const isFirst = growing.hear(piece);
  const place = { event: 'messages/metadata', data: `{"${messageId}":{"metadata":${metadata.model}}}` };
  const partial = { event: 'messages/partial', data: `[${growing.text()}]`, partialOf: messageId };
  return [...frames, ...(isFirst ? [place] : []), partial];
}

function messageFrame(message: string, metadata: string): Frame {
  return { event: 'messages', data: `[${message},${metadata}]` };
}

interface Chunk {
  readonly messageId: string;
  /** JSON text. */
  readonly chunk: string;
}

function addChunk(frames: Frame[], context: FrameContext, { messageId, chunk }: Chunk): void {
  const { modes, metadata } = context;
  if (modes.has('events')) frames.push(modelStreamFrame(messageId, chunk, context));
  if (modes.has('messages-tuple')) frames.push(messageFrame(chunk, metadata.model));
}

/** Returns the chunk in its dump shape, built as text: this is the hottest line of the service. */
function textChunk(type: TextDelta['type'], text: string, messageId: string): string {
  return type === 'text_delta'
    ? `{"content":${JSON.stringify(text)},${PLAIN_CHUNK}"id":"${messageId}"}`
    : `{"content":"","additional_kwargs":{"reasoning_content":${JSON.stringify(text)}},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[],"id":"${messageId}"}`;
}

function callChunk(event: Exclude<MessageDelta, TextDelta>): string {
  const { index, id = null, name = null, args, messageId } = event;
  const piece = JSON.stringify({ name, args, id, index, type: 'tool_call_chunk' });
  return `{"content":"","additional_kwargs":{},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[${piece}],"id":"${messageId}"}`;
}

function endChunk({ responseMetadata, usage, messageId }: MessageEnd): string {
  return `{"content":"","additional_kwargs":{},${CHUNK}"response_metadata":${JSON.stringify(responseMetadata)},"usage_metadata":${JSON.stringify(usage)},"tool_call_chunks":[],"chunk_position":"last","id":"${messageId}"}`;
}

const CHUNK =
  '"type":"AIMessageChunk","role":"assistant","name":null,"tool_calls":[],"invalid_tool_calls":[],';
const PLAIN_CHUNK = `"additional_kwargs":{},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[],`;
