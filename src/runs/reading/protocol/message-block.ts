// One content block of an answer that is being written: text, reasoning or a tool call.
import { z } from 'zod';
import type { Json, JsonObject } from '../../../messages/message.ts';

export interface MessageBlock {
  readonly kind: 'text' | 'reasoning' | 'call';
  /** Of a call: its place among the calls of the answer. */
  readonly callIndex: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** All there is so far: text, or the JSON text of a call's arguments. */
  text: string;
  isStarted: boolean;
  /** How much of `text` was told. */
  told: number;
}

export function newBlock(kind: MessageBlock['kind'], callIndex?: number): MessageBlock {
  return { kind, callIndex, id: undefined, name: undefined, text: '', isStarted: false, told: 0 };
}

/** The block before anything was said. */
export function startContent(block: MessageBlock): JsonObject {
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
export function dueDelta(block: MessageBlock): JsonObject | undefined {
  const due = block.text.slice(block.told);
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

/** Arguments are told whole each time, so that in pieces they would cost the square of their length. */
function isArgumentsDue({ text, told }: MessageBlock): boolean {
  return text.length >= told * ARGUMENTS_GROWTH + FIRST_ARGUMENTS;
}

/** The whole block; arguments that are no JSON object make an invalid call. */
export function finishedContent(block: MessageBlock): JsonObject {
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
export function isComplete(block: MessageBlock): boolean {
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
