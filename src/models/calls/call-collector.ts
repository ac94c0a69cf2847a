// The tool calls of one answer while they stream in, with ids that are unlike any other in the thread.
import { isBeginning } from '../../messages/is-beginning.ts';
import type { JsonObject, Message, ToolCall } from '../../messages/message.ts';
import { ModelError, type ModelPart } from '../model.ts';
import type { ProviderQuirks } from '../quirks/quirks.ts';

export type CallDelta = Extract<ModelPart, { type: 'tool_call_delta' }>;

/** More than any model makes in one answer. */
const MOST_CALLS = 256;
/** Characters of the arguments of all calls of an answer. */
const MOST_ARGUMENTS = 8_388_608;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  args: string;
}

interface CallCollectorParts {
  readonly modelName: string;
  /** Of the thread: ids of their calls are not given again. */
  readonly messages: readonly Message[];
  readonly quirks: Pick<ProviderQuirks, 'callId' | 'callArguments'>;
}

/** Calls are known by their `index`, from 0 in the order in which they began. */
export class CallCollector {
  readonly #parts: CallCollectorParts;
  readonly #calls: OpenCall[] = [];
  #earlier: ReadonlySet<string> | undefined;
  #characters = 0;

  constructor(parts: CallCollectorParts) {
    this.#parts = parts;
  }

  /** Throws `broken_stream` for more calls than any answer makes. */
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

  /** Throws `broken_stream` when all arguments together are longer than any. */
  grow(index: number, args: string): CallDelta | undefined {
    const call = this.#calls[index];
    if (call === undefined || args === '') return undefined;
    this.#count(args);
    call.args += args;
    return { type: 'tool_call_delta', index, args };
  }

  /** The arguments of a call as a whole, whatever pieces of them came before. */
  complete(index: number, args: string): void {
    const call = this.#calls[index];
    if (call === undefined || call.args === args) return;
    this.#count(args);
    call.args = args;
  }

  /** The arguments of a call so far. */
  argsOf(index: number): string {
    return this.#calls[index]?.args ?? '';
  }

  /** The id under which the thread knows a call. */
  idOf(index: number): string {
    return this.#calls[index]?.id ?? '';
  }

  /** All calls in order. Throws `broken_stream` for one without a name or with arguments that are no JSON object. */
  toolCalls(): readonly ToolCall[] {
    const { modelName, quirks } = this.#parts;
    return this.#calls.map((call) => toToolCall(call, modelName, quirks));
  }

  #count(args: string): void {
    this.#characters += args.length;
    if (this.#characters > MOST_ARGUMENTS)
      throw broken(this.#parts.modelName, 'is longer than any that can be made');
  }
}

interface KnownIds {
  readonly messages: readonly Message[];
  readonly ids: Set<string>;
}

/** The ids of a thread by its first message: the next answer nearly always belongs to a thread that goes on from it. */
const known = new WeakMap<Message, KnownIds>();

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
  const parsed = parse(callArguments(args, undefined));
  if (parsed === undefined) throw broken(modelName, 'is cut off or malformed');
  if (!isJsonObject(parsed)) throw broken(modelName, 'has arguments that are no object');
  return { type: 'tool_call', id, name, args: parsed };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken(modelName: string, how: string): ModelError {
  return new ModelError(
    'broken_stream',
    `A tool call in the answer of model '${modelName}' ${how}. Try again.`,
  );
}
