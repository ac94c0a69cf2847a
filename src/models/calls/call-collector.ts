// The tool calls of one message while they stream in, with ids that are unique in the thread.
import { jsonIn } from '../../json/unknown-json.ts';
import { isBeginning } from '../../messages/is-beginning.ts';
import type { JsonObject, Message, ToolCall } from '../../messages/message.ts';
import { ModelError, type ModelPart } from '../model.ts';
import type { ProviderQuirks } from '../quirks/quirks.ts';

export type CallDelta = Extract<ModelPart, { type: 'tool_call_delta' }>;

/** More than any model makes in one message. */
const MOST_CALLS = 256;
/** Characters of the arguments of all calls of a message. */
const MOST_ARGUMENTS = 8_388_608;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  args: string;
}

interface CallCollectorParts {
  readonly modelName: string;
  /** Messages of the thread. The ids of their calls are not used again. */
  readonly messages: readonly Message[];
  readonly quirks: Pick<ProviderQuirks, 'callId' | 'callArguments'>;
}

/** Calls are identified by their `index`, from 0 in the order in which they began. */
export class CallCollector {
  readonly #parts: CallCollectorParts;
  readonly #calls: OpenCall[] = [];
  #earlier: ReadonlySet<string> | undefined;
  #characters = 0;

  constructor(parts: CallCollectorParts) {
    this.#parts = parts;
  }

  /** Starts a call. Throws `broken_stream` when there are more calls than any model makes. */
  start(wireId: string, name: string): CallDelta {
    const { modelName, messages, quirks } = this.#parts;
    this.#earlier ??= idsOf(messages);
    const ids = this.#earlier;
    const calls = this.#calls;
    const index = calls.length;
    if (index === MOST_CALLS) throw broken(modelName, 'is one of too many');
    const isTaken = (id: string) => ids.has(id) || calls.some((call) => call.id === id);
    const id = quirks.callId(wireId, { index, isTaken });
    calls.push({ id, name, args: '' });
    return { type: 'tool_call_delta', index, id, name, args: '' };
  }

  /** Adds to the arguments of a call. Throws `broken_stream` when all arguments together are too long. */
  grow(index: number, args: string): CallDelta | undefined {
    const call = this.#calls[index];
    if (call === undefined || args === '') return undefined;
    this.#count(args);
    call.args += args;
    return { type: 'tool_call_delta', index, args };
  }

  /** Sets the whole arguments of a call, whatever pieces came before. */
  complete(index: number, args: string): void {
    const call = this.#calls[index];
    if (call === undefined || call.args === args) return;
    this.#count(args);
    call.args = args;
  }

  argsOf(index: number): string {
    return this.#calls[index]?.args ?? '';
  }

  /** Returns the id under which the thread knows a call. */
  idOf(index: number): string {
    return this.#calls[index]?.id ?? '';
  }

  /**
   * Returns all calls in order. Throws `broken_stream` for a missing name or arguments other than an object.
   */
  toolCalls(): readonly ToolCall[] {
    const { modelName, quirks } = this.#parts;
    return this.#calls.map((call) => toToolCall(call, modelName, quirks));
  }

  #count(args: string): void {
    this.#characters += args.length;
    if (this.#characters > MOST_ARGUMENTS) throw broken(this.#parts.modelName, 'is longer than the limit');
  }
}

/** The ids of a thread by its first message. The next reply nearly always continues the same thread. */
const known = new WeakMap<Message, { readonly messages: readonly Message[]; readonly ids: Set<string> }>();

function idsOf(messages: readonly Message[]): ReadonlySet<string> {
  const [first] = messages;
  const before = first && known.get(first);
  const continues = before !== undefined && isBeginning(before.messages, messages);
  const ids = continues ? before.ids : new Set<string>();
  for (const message of continues ? messages.slice(before.messages.length) : messages) {
    if (message.type === 'ai') for (const call of message.tool_calls) ids.add(call.id);
  }
  if (first !== undefined) known.set(first, { messages, ids });
  return ids;
}

function toToolCall(
  { id, name, args }: OpenCall,
  modelName: string,
  { callArguments }: CallCollectorParts['quirks'],
): ToolCall {
  if (name.trim() === '') throw broken(modelName, 'names no tool');
  const parsed = jsonIn(callArguments(args, undefined));
  if (parsed === undefined) throw broken(modelName, 'is cut off or malformed');
  if (!isJsonObject(parsed)) throw broken(modelName, 'has arguments that are no object');
  return { type: 'tool_call', id, name, args: parsed };
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken(modelName: string, how: string): ModelError {
  return new ModelError(
    'broken_stream',
    `A tool call in the reply of model '${modelName}' ${how}. Try again.`,
  );
}
