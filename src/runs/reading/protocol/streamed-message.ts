// One answer of the model as events: a start, content blocks one after another, a finish.
import type { MessageDelta } from '../../../agent/agent-event.ts';
import { type AiMessage, type JsonObject, type ToolCall, textOf } from '../../../messages/message.ts';
import {
  dueDelta,
  finishedContent,
  isComplete,
  type MessageBlock,
  newBlock,
  startContent,
} from './message-block.ts';

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
    return [...this.#start(), ...this.#tell()];
  }

  /** `message` is the answer as the state has it: what was not streamed is told now. */
  finish(message: AiMessage): readonly MessageData[] {
    this.#complete(message);
    const told = [...this.#start(), ...this.#tell()];
    for (const block of this.#blocks.slice(this.#current)) {
      told.push(...this.#progress(block), this.#finished(block));
    }
    const { response_metadata: responseMetadata, usage_metadata: usage } = message;
    const reason = finishReason(responseMetadata.finish_reason);
    return [
      ...told,
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

  #tell(): readonly MessageData[] {
    const told: MessageData[] = [];
    for (;;) {
      const block = this.#blocks[this.#current];
      if (block === undefined) return told;
      told.push(...this.#progress(block));
      const isLast = this.#current === this.#blocks.length - 1;
      if (isLast || !isComplete(block)) return told;
      told.push(this.#finished(block));
    }
  }

  #progress(block: MessageBlock): readonly MessageData[] {
    const told: MessageData[] = [];
    const index = this.#current;
    if (!block.isStarted) told.push({ event: 'content-block-start', index, content: startContent(block) });
    block.isStarted = true;
    const delta = dueDelta(block);
    if (delta === undefined) return told;
    block.told = block.text.length;
    return [...told, { event: 'content-block-delta', index, delta }];
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
