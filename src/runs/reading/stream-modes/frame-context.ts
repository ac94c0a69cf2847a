// What all frames of one reader share.
import type { MessageEnd, TextDelta } from '../../../agent/agent-event.ts';
import { LEAD_NAMESPACE } from '../../../messages/agent-namespace.ts';
import type { LogEvent, MessagePiece } from '../../log/log-event.ts';
import type { Frame, StreamMode } from '../../request/stream-modes.ts';

export interface FrameContext {
  readonly runId: string;
  readonly threadId: string;
  readonly modes: ReadonlySet<StreamMode>;
  /** The namespace of the agent whose frames these are; empty for the lead agent. */
  readonly namespace: string;
  /** The id of the agent's work in `events`: the run itself, or the namespace of a sub-agent. */
  readonly workId: string;
  readonly metadata: FrameMetadata;
  /** The message that the agent is writing; absent for a reader that is not shown messages as they grow. */
  readonly growing?: GrowingMessage;
}

function createFrameContext(
  context: Pick<FrameContext, 'runId' | 'threadId' | 'modes' | 'namespace'>,
): FrameContext {
  return {
    ...context,
    workId: context.namespace || context.runId,
    metadata: new FrameMetadata(context),
    ...(context.modes.has('messages') ? { growing: new GrowingMessage() } : {}),
  };
}

/**
 * JSON texts, made once, because they are sent with every token. Made on demand: most readers need one of
 * them, and a reader of a silent run needs none.
 */
class FrameMetadata {
  readonly #place: Place;
  #run: string | undefined;
  #model: string | undefined;
  #tools: string | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get run(): string {
    // A sub-agent works in a node of the outer agent.
    this.#run ??=
      this.#place.namespace === LEAD_NAMESPACE
        ? metadataText(this.#place)
        : metadataText(this.#place, 'tools');
    return this.#run;
  }

  get model(): string {
    this.#model ??= metadataText(this.#place, 'model');
    return this.#model;
  }

  get tools(): string {
    this.#tools ??= metadataText(this.#place, 'tools');
    return this.#tools;
  }
}

type Place = Pick<FrameContext, 'runId' | 'threadId' | 'namespace'>;

/** Returns the JSON text of a node's metadata, as `messages` and `events` frames carry it. */
export function nodeMetadata(context: FrameContext, node: string): string {
  if (node === 'model') return context.metadata.model;
  return node === 'tools' ? context.metadata.tools : metadataText(context, node);
}

function metadataText({ runId, threadId, namespace }: Place, node?: string): string {
  const place = node === undefined ? '' : `"langgraph_node":${JSON.stringify(node)},`;
  return `{${place}"langgraph_checkpoint_ns":"${namespace}","run_id":"${runId}","thread_id":${JSON.stringify(threadId)},"tags":[]}`;
}

/** Returns the frame of a mode if the reader requested it. Only then is `data` called. */
export function framesIn(
  mode: Exclude<StreamMode, 'messages-tuple' | 'messages'>,
  { modes }: FrameContext,
  data: () => Frame['data'],
): readonly Frame[] {
  return modes.has(mode) ? [{ event: mode, data: data() }] : [];
}

/** Texts are stored as insides of JSON strings, so that a piece only costs what it adds before sending. */
interface Call {
  id: string | null;
  name: string | null;
  args: string;
}

/** One for each reader and agent, which writes one message at a time. Pure, except for received pieces. */
class GrowingMessage {
  #messageId: string | undefined;
  #content = '';
  #reasoning = '';
  #calls = new Map<number, Call>();
  #end: MessageEnd | undefined;

  /** Takes a piece. Returns `true` for the first one of a message. */
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

  /** Returns the dump shape of the message so far. Unfinished arguments are only in `tool_call_chunks`. */
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

/** Escapes halves of a character that two pieces share. They are whole again when the text is read. */
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

/** Returns the object in the arguments; an empty one for anything else. */
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

export interface WantedFrames {
  readonly modes: readonly StreamMode[];
  /** True to include frames of sub-agents. */
  readonly subgraphs: boolean;
}

/** Returns the context of the event's agent; `undefined` when the reader does not follow it. */
export type FrameContextOf = (event: LogEvent) => FrameContext | undefined;

export function createFrameContexts(
  { runId, threadId }: Pick<FrameContext, 'runId' | 'threadId'>,
  { modes, subgraphs }: WantedFrames,
): FrameContextOf {
  const lead = createFrameContext({ runId, threadId, modes: new Set(modes), namespace: LEAD_NAMESPACE });
  const inner = new Map<string, FrameContext>();
  return (event) => {
    if (event.type !== 'subagent') return lead;
    if (!subgraphs) return undefined;
    const { namespace } = event;
    const known = inner.get(namespace) ?? createFrameContext({ ...lead, namespace });
    inner.set(namespace, known);
    return known;
  };
}
