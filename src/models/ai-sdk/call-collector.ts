// The tool calls of one answer while they stream in, with ids that are unlike any other in the thread.
import type { LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { isBeginning } from '../../messages/is-beginning.ts';
import type { JsonObject, Message, ToolCall } from '../../messages/message.ts';
import { ModelError, type ModelPart } from '../model.ts';
import type { ProviderQuirks } from './quirks/quirks.ts';

type CallDelta = Extract<ModelPart, { type: 'tool_call_delta' }>;

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  args: string;
}

export interface CallCollector {
  start(wireId: string, name: string): CallDelta;
  grow(wireId: string, args: string): CallDelta | undefined;
  /** The whole call as the package has it; a delta only for a call that did not stream. */
  complete(part: LanguageModelV4ToolCall): { readonly id: string; readonly delta: CallDelta | undefined };
  /** All calls in order. Throws `broken_stream` for one without a name or with arguments that are no JSON object. */
  toolCalls(): readonly ToolCall[];
}

interface CallCollectorParts {
  readonly modelName: string;
  /** Of the thread: ids of their calls are not given again. */
  readonly messages: readonly Message[];
  readonly quirks: Pick<ProviderQuirks, 'callId' | 'callArguments'>;
}

export function createCallCollector({ modelName, messages, quirks }: CallCollectorParts): CallCollector {
  const calls: OpenCall[] = [];
  /** By the provider's id, the newest one where it gives an id twice. */
  const byWireId = new Map<string, OpenCall>();

  let earlier: ReadonlySet<string> | undefined;

  const open = (wireId: string, name: string): OpenCall => {
    earlier ??= idsOf(messages);
    const ids = earlier;
    const index = calls.length;
    const isTaken = (id: string) => ids.has(id) || calls.some((call) => call.id === id);
    const call = { index, id: quirks.callId(wireId, { index, isTaken }), name, args: '' };
    calls.push(call);
    byWireId.set(wireId, call);
    return call;
  };
  return {
    start: (wireId, name) => {
      const { index, id } = open(wireId, name);
      return { type: 'tool_call_delta', index, id, name, args: '' };
    },
    grow: (wireId, args) => {
      const call = byWireId.get(wireId);
      if (call === undefined || args === '') return undefined;
      call.args += args;
      return { type: 'tool_call_delta', index: call.index, args };
    },
    complete: (part) => {
      const known = byWireId.get(part.toolCallId);
      const { index, id, name } = known ?? open(part.toolCallId, part.toolName);
      const call = calls[index];
      if (call !== undefined) call.args = part.input;
      const delta = { type: 'tool_call_delta', index, id, name, args: part.input } as const;
      return { id, delta: known === undefined ? delta : undefined };
    },
    toolCalls: () => calls.map((call) => toToolCall(call, modelName, quirks)),
  };
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
  const goesOn = before !== undefined && isBeginning(before.messages, messages);
  const ids = goesOn ? before.ids : new Set<string>();
  for (const message of goesOn ? messages.slice(before.messages.length) : messages) {
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
