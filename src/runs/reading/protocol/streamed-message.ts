// One answer of the model as events: a start, content blocks one after another, a finish.

import { z } from 'zod';
import type { MessageDelta } from '../../../agent/agent-event.ts';
import {
  type AiMessage,
  type Json,
  type JsonObject,
  type ToolCall,
  textOf,
} from '../../../messages/message.ts';

/** The data of one `messages` event. */
export type MessageData = JsonObject;

/**
 * Blocks never overlap. Providers may write several tool calls at once, so what comes while a call is incomplete is
 * held back until that call is told.
 */
export class StreamedMessage {
  readonly id: string;
  readonly #blocks: MessageBlock[] = [];
  /** The first block that is not finished. */
  #current = 0;
  #isStarted = false;

  constructor(id: string) {
    this.id = id;
  }

  add(delta: MessageDelta): readonly MessageData[] {
    const block = this.#blockOf(delta);
    if (delta.type === 'tool_call_delta') {
      block.id ??= delta.id;
      block.name ??= delta.name;
      block.text += delta.args;
    } else block.text += delta.text;
    return [...this.#start(), ...this.#report()];
  }

  /** `message` is the answer as the state has it: what was not streamed is told now. */
  finish(message: AiMessage): readonly MessageData[] {
    this.#complete(message);
    const deltas = [...this.#start(), ...this.#report()];
    for (const block of this.#blocks.slice(this.#current)) {
      deltas.push(...this.#progress(block), this.#finished(block));
    }
    const { response_metadata: responseMetadata, usage_metadata: usage } = message;
    const reason = finishReason(responseMetadata.finish_reason);
    return [
      ...deltas,
      {
        event: 'message-finish',
        reason,
        ...(usage === null ? {} : { usage: { ...usage } }),
        responseMetadata,
      },
    ];
  }

  /** What was told is void. Nothing when nothing was told. */
  abandon(message: string, code: 'restarted' | 'aborted'): readonly MessageData[] {
    return this.#isStarted ? [{ event: 'error', message, code }] : [];
  }

  #start(): readonly MessageData[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ event: 'message-start', role: 'ai', id: this.id }];
  }

  #blockOf(delta: MessageDelta): MessageBlock {
    if (delta.type === 'tool_call_delta') {
      const known = this.#blocks.find((block) => block.callIndex === delta.index);
      return known ?? this.#push(newBlock('call', delta.index));
    }
    const kind = delta.type === 'text_delta' ? 'text' : 'reasoning';
    const last = this.#blocks.at(-1);
    return last?.kind === kind ? last : this.#push(newBlock(kind));
  }

  #push(block: MessageBlock): MessageBlock {
    this.#blocks.push(block);
    return block;
  }

  #report(): readonly MessageData[] {
    const deltas: MessageData[] = [];
    for (;;) {
      const block = this.#blocks[this.#current];
      if (block === undefined) return deltas;
      deltas.push(...this.#progress(block));
      const isLast = this.#current === this.#blocks.length - 1;
      if (isLast || !isComplete(block)) return deltas;
      deltas.push(this.#finished(block));
    }
  }

  #progress(block: MessageBlock): readonly MessageData[] {
    const deltas: MessageData[] = [];
    const index = this.#current;
    if (!block.isStarted) deltas.push({ event: 'content-block-start', index, content: startContent(block) });
    block.isStarted = true;
    const delta = dueDelta(block);
    if (delta === undefined) return deltas;
    block.sentLength = block.text.length;
    return [...deltas, { event: 'content-block-delta', index, delta }];
  }

  #finished(block: MessageBlock): MessageData {
    const content = finishedContent(block);
    return { event: 'content-block-finish', index: this.#current++, content };
  }

  #complete(message: AiMessage): void {
    const { reasoning_content: reasoning } = message.additional_kwargs;
    if (typeof reasoning === 'string') this.#addMissing('reasoning', reasoning);
    this.#addMissing('text', textOf(message.content));
    const calls = this.#blocks.filter(({ kind }) => kind === 'call');
    message.tool_calls.forEach((call, position) => {
      const known = calls.find(({ id }) => id === call.id) ?? nameless(calls[position]);
      setCall(known ?? this.#push(newBlock('call')), call);
    });
  }

  #addMissing(kind: 'text' | 'reasoning', text: string): void {
    if (text === '' || this.#blocks.some((block) => block.kind === kind)) return;
    this.#push(newBlock(kind)).text = text;
  }
}

/** A call that the provider gave no id: the state's call at its place is the one. */
function nameless(block: MessageBlock | undefined): MessageBlock | undefined {
  return block?.id === undefined ? block : undefined;
}

function setCall(block: MessageBlock, { id, name, args }: ToolCall): void {
  block.id = id;
  block.name = name;
  block.text = JSON.stringify(args);
}

/** In the words of the protocol's own model streams. */
function finishReason(reason: unknown): string {
  if (reason === 'tool_calls') return 'tool_use';
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}

/** One content block of an answer that is being written: text, reasoning or a tool call. */
interface MessageBlock {
  readonly kind: 'text' | 'reasoning' | 'call';
  /** Of a call: its place among the calls of the answer. */
  readonly callIndex: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** All there is so far: text, or the JSON text of a call's arguments. */
  text: string;
  isStarted: boolean;
  /** How much of `text` was told. */
  sentLength: number;
}

function newBlock(kind: MessageBlock['kind'], callIndex?: number): MessageBlock {
  return { kind, callIndex, id: undefined, name: undefined, text: '', isStarted: false, sentLength: 0 };
}

/** The block before anything was said. */
function startContent(block: MessageBlock): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'reasoning':
      return { type: 'reasoning', reasoning: '' };
    case 'call':
      return { ...callFields(block), type: 'tool_call_chunk', args: '' };
    default:
      return block.kind satisfies never;
  }
}

/** What was not told yet and is due. */
function dueDelta(block: MessageBlock): JsonObject | undefined {
  const due = block.text.slice(block.sentLength);
  if (due === '') return undefined;
  switch (block.kind) {
    case 'text':
      return { type: 'text-delta', text: due };
    case 'reasoning':
      return { type: 'reasoning-delta', reasoning: due };
    case 'call': {
      if (!isArgumentsDue(block)) return undefined;
      return {
        type: 'block-delta',
        fields: { ...callFields(block), type: 'tool_call_chunk', args: block.text },
      };
    }
    default:
      return block.kind satisfies never;
  }
}

const FIRST_ARGUMENTS = 64;
const ARGUMENTS_GROWTH = 1.25;

/** Arguments are sent whole each time; sent for each piece, they would cost the square of their length. */
function isArgumentsDue({ text, sentLength }: MessageBlock): boolean {
  return text.length >= sentLength * ARGUMENTS_GROWTH + FIRST_ARGUMENTS;
}

/** The whole block; arguments that are no JSON object make an invalid call. */
function finishedContent(block: MessageBlock): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'reasoning':
      return { type: 'reasoning', reasoning: block.text };
    case 'call': {
      const args = parsedArguments(block.text);
      if (args !== undefined) return { ...callFields(block), type: 'tool_call', args };
      return { ...callFields(block), type: 'invalid_tool_call', args: block.text, error: 'Malformed args.' };
    }
    default:
      return block.kind satisfies never;
  }
}

/** Whether nothing can follow once another block has begun. */
function isComplete(block: MessageBlock): boolean {
  return block.kind !== 'call' || parsedArguments(block.text) !== undefined;
}

function callFields({ id, name }: MessageBlock): { readonly id: Json; readonly name: Json } {
  return { id: id ?? null, name: name ?? null };
}

const argumentsSchema = z.record(z.string(), z.json());

/** No text at all means no arguments. */
function parsedArguments(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    const parsed = argumentsSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
