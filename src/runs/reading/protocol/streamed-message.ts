// One reply of the model as events: a start, content blocks one after another, a finish.
import { z } from 'zod';
import type { MessageDelta } from '../../../agent/agent-event.ts';
import {
  type AiMessage,
  type Json,
  type JsonObject,
  type ToolCall,
  textOf,
} from '../../../messages/message.ts';

export type MessageData = JsonObject;

/** Blocks never overlap: pieces that arrive during an incomplete tool call wait until it is complete. */
export class StreamedMessage {
  readonly id: string;
  readonly #blocks: MessageBlock[] = [];
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

  /** Ends the message. `message` is the reply in the state; what was not streamed is sent now. */
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

  /** Declares what was sent void. Returns nothing when nothing was sent. */
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
    if (!block.isStarted)
      deltas.push({ event: 'content-block-start', index, content: FORMS[block.kind].start(block) });
    block.isStarted = true;
    const delta = dueDelta(block);
    if (delta === undefined) return deltas;
    block.sentLength = block.text.length;
    return [...deltas, { event: 'content-block-delta', index, delta }];
  }

  #finished(block: MessageBlock): MessageData {
    const content = FORMS[block.kind].finish(block);
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

/** Returns the block if its call got no id from the provider: the state's call at that index is the same. */
function nameless(block: MessageBlock | undefined): MessageBlock | undefined {
  return block?.id === undefined ? block : undefined;
}

function setCall(block: MessageBlock, { id, name, args }: ToolCall): void {
  block.id = id;
  block.name = name;
  block.text = JSON.stringify(args);
}

/** Returns the reason in the terms of the protocol's own model streams. */
function finishReason(reason: unknown): string {
  if (reason === 'tool_calls') return 'tool_use';
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}

interface MessageBlock {
  readonly kind: 'text' | 'reasoning' | 'call';
  /** Of a call: its index among the calls of the reply. */
  readonly callIndex: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** All text so far, or the JSON text of a call's arguments. */
  text: string;
  isStarted: boolean;
  /** How much of `text` was sent. */
  sentLength: number;
}

function newBlock(kind: MessageBlock['kind'], callIndex?: number): MessageBlock {
  return { kind, callIndex, id: undefined, name: undefined, text: '', isStarted: false, sentLength: 0 };
}

/** How a block of each kind is shown when it begins, grows (by `due`) and ends. */
interface BlockForm {
  start(block: MessageBlock): JsonObject;
  /** Returns `undefined` when nothing is due yet. */
  delta(block: MessageBlock, due: string): JsonObject | undefined;
  finish(block: MessageBlock): JsonObject;
}

function plain(type: 'text' | 'reasoning'): BlockForm {
  return {
    start: () => ({ type, [type]: '' }),
    delta: (_, due) => ({ type: `${type}-delta`, [type]: due }),
    finish: ({ text }) => ({ type, [type]: text }),
  };
}

const FORMS: Readonly<Record<MessageBlock['kind'], BlockForm>> = {
  text: plain('text'),
  reasoning: plain('reasoning'),
  call: {
    start: (block) => ({ ...callFields(block), type: 'tool_call_chunk', args: '' }),
    delta(block) {
      if (!isArgumentsDue(block)) return undefined;
      const fields = { ...callFields(block), type: 'tool_call_chunk', args: block.text };
      return { type: 'block-delta', fields };
    },
    /** Arguments that are not a JSON object make the call invalid. */
    finish(block) {
      const args = parsedArguments(block.text);
      if (args !== undefined) return { ...callFields(block), type: 'tool_call', args };
      return { ...callFields(block), type: 'invalid_tool_call', args: block.text, error: 'Malformed args.' };
    },
  },
};

function dueDelta(block: MessageBlock): JsonObject | undefined {
  const due = block.text.slice(block.sentLength);
  return due === '' ? undefined : FORMS[block.kind].delta(block, due);
}

const FIRST_ARGUMENTS = 64;
const ARGUMENTS_GROWTH = 1.25;

/** Arguments are sent whole each time. Sending them for each piece would cost the square of their length. */
function isArgumentsDue({ text, sentLength }: MessageBlock): boolean {
  return text.length >= sentLength * ARGUMENTS_GROWTH + FIRST_ARGUMENTS;
}

function isComplete(block: MessageBlock): boolean {
  return block.kind !== 'call' || parsedArguments(block.text) !== undefined;
}

function callFields({ id, name }: MessageBlock): { readonly id: Json; readonly name: Json } {
  return { id: id ?? null, name: name ?? null };
}

const argumentsSchema = z.record(z.string(), z.json());

/** Returns no arguments for an empty text, and `undefined` for anything but a JSON object. */
function parsedArguments(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    const parsed = argumentsSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
