// The message that an agent is writing, as a whole and as text, put together from its pieces.
import type { MessageEnd, TextDelta } from '../../../agent/agent-event.ts';
import type { MessagePiece } from '../../log/log-event.ts';

/** Texts are kept as the insides of JSON strings, so that a piece costs what it adds until the message is sent. */
interface Call {
  id: string | null;
  name: string | null;
  args: string;
}

/** One for each reader and agent, which writes one message at a time. Pure but for what it has heard. */
export class GrowingMessage {
  #messageId: string | undefined;
  #content = '';
  #reasoning = '';
  #calls = new Map<number, Call>();
  #end: MessageEnd | undefined;

  /** Takes a piece; `true` for the first one of a message. */
  hear(piece: MessagePiece): boolean {
    const isFirst = piece.messageId !== this.#messageId;
    if (isFirst || piece.type === 'message_restart') this.#begin(piece.messageId);
    switch (piece.type) {
      case 'text_delta':
      case 'reasoning_delta':
        this.#hearText(piece);
        break;
      case 'tool_call_delta': {
        const call = this.#calls.get(piece.index) ?? { id: null, name: null, args: '' };
        const { id = call.id, name = call.name } = piece;
        this.#calls.set(piece.index, { id, name, args: call.args + inside(piece.args) });
        break;
      }
      case 'message_end':
        this.#end = piece;
        break;
      case 'message_restart':
        break;
      default:
        piece satisfies never;
    }
    return isFirst;
  }

  /** The message so far in its dump shape. Arguments that are being written are in `tool_call_chunks` alone. */
  text(): string {
    const kwargs = this.#reasoning === '' ? '' : `"reasoning_content":"${this.#reasoning}"`;
    const calls = [...this.#calls].sort(([a], [b]) => a - b);
    const chunks = calls.map(
      ([index, call]) => `{${callFields(call)},"index":${index},"type":"tool_call_chunk"}`,
    );
    const whole = calls.map(([, call]) => wholeCall(call, this.#end !== undefined));
    return `{"content":"${this.#content}","additional_kwargs":{${kwargs}},"type":"ai","role":"assistant","name":null,"tool_calls":[${whole.join()}],"invalid_tool_calls":[],"response_metadata":${JSON.stringify(this.#end?.responseMetadata ?? {})},"usage_metadata":${JSON.stringify(this.#end?.usage ?? null)},"tool_call_chunks":[${chunks.join()}],"id":"${this.#messageId ?? ''}"}`;
  }

  #begin(messageId: string): void {
    this.#messageId = messageId;
    this.#content = '';
    this.#reasoning = '';
    this.#calls = new Map();
    this.#end = undefined;
  }

  #hearText({ type, text }: TextDelta): void {
    if (type === 'text_delta') this.#content += inside(text);
    else this.#reasoning += inside(text);
  }
}

/** Halves of a character that two pieces share are escaped, and whole again when the text is read. */
function inside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function callFields({ id, name, args }: Call): string {
  return `"name":${JSON.stringify(name)},"args":"${args}","id":${JSON.stringify(id)}`;
}

function wholeCall({ id, name, args }: Call, isDone: boolean): string {
  const parsed = isDone ? objectText(args) : '{}';
  return `{"name":${JSON.stringify(name ?? '')},"args":${parsed},"id":${JSON.stringify(id)},"type":"tool_call"}`;
}

/** The object that arguments are; an empty one for anything else. */
function objectText(args: string): string {
  try {
    const text: unknown = JSON.parse(`"${args}"`);
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? JSON.stringify(value)
      : '{}';
  } catch {
    return '{}';
  }
}
