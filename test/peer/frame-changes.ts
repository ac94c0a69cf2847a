// How frames are brought into the form in which they are compared: what `differences.ts` names, done.
import { isDeepStrictEqual } from 'node:util';
import type { RecordedFrame } from './recording.ts';

export type Frames = readonly RecordedFrame[];

type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

export function text(value: unknown, key: string): string | undefined {
  const found = fields(value)?.[key];
  return typeof found === 'string' ? found : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a `checkpoints` frame, or a `debug` frame of a checkpoint, shows. */
export function checkpointOf({ event, data }: RecordedFrame): Fields | undefined {
  if (isOf('checkpoints', event)) return fields(data);
  return isOf('debug', event) && text(data, 'type') === 'checkpoint'
    ? fields(fields(data)?.payload)
    : undefined;
}

function isCheckpoint(frame: RecordedFrame): boolean {
  return checkpointOf(frame) !== undefined;
}

export function isWaiting(frame: RecordedFrame): boolean {
  return list(checkpointOf(frame)?.tasks).some((task) => list(fields(task)?.interrupts).length > 0);
}

export function begunWith(data: unknown): Fields {
  const { payload, ...frame } = fields(data) ?? {};
  if (payload !== undefined) return { ...frame, payload: begunWith(payload) };
  const { parent_config: _, parent_checkpoint: __, ...checkpoint } = frame;
  const next = list(checkpoint.next).map((node) => (node === 'tools' ? 'tools' : 'model'));
  const metadata = { ...fields(checkpoint.metadata), source: 'input' };
  if (checkpoint.tasks === undefined) return { ...checkpoint, next, metadata };
  const tasks = list(checkpoint.tasks).map((task, index) => {
    const name = next[index];
    return { ...fields(task), name, path: ['__pregel_pull', name], interrupts: [] };
  });
  return { ...checkpoint, next, metadata, tasks };
}

/** The frames with the first checkpoint of every agent changed. */
export function withFirstCheckpoints(frames: Frames, change: (data: unknown) => Fields): Frames {
  const seen = new Set<string>();
  return frames.map((frame) => {
    if (!isCheckpoint(frame) || seen.has(frame.event)) return frame;
    seen.add(frame.event);
    return { ...frame, data: change(frame.data) };
  });
}

/** Frames of a message that have its metadata in the second place, after `withPlaces`. */
const OF_MESSAGE = ['messages', 'messages/metadata', 'messages/partial'];

function kindOfMessage(event: string): string | undefined {
  return OF_MESSAGE.find((kind) => isOf(kind, event));
}

/** `messages/metadata` as `[id, metadata]` instead of a field by the id, and partial messages with their metadata. */
export function withPlaces(frames: Frames): Frames {
  const places = new Map<string, unknown>();
  return frames.map(({ event, data }) => {
    if (isOf('messages/metadata', event)) {
      const [[id, place] = ['', undefined]] = Object.entries(fields(data) ?? {});
      const metadata = fields(place)?.metadata;
      places.set(id, metadata);
      return { event, data: [id, metadata] };
    }
    if (!isOf('messages/partial', event)) return { event, data };
    const [message] = list(data);
    return { event, data: [message, places.get(text(message, 'id') ?? '')] };
  });
}

/** Every frame of a message before the ends of the model call and of the step that wrote it. */
export function messagesBeforeEnds(frames: Frames): Frames {
  const ordered: RecordedFrame[] = [];
  for (const frame of frames) {
    const isMessage = isOf('messages', frame.event);
    const place = isMessage ? ordered.findLastIndex((earlier) => !isEnd(earlier)) + 1 : ordered.length;
    ordered.splice(place, 0, frame);
  }
  return ordered;
}

/** The results of tools behind what is told of other tools of the step. */
export function resultsBehindTools(frames: Frames): Frames {
  const ordered: RecordedFrame[] = [];
  for (const frame of frames) {
    const isTool = (text(frame.data, 'event') ?? '').startsWith('on_tool_');
    const place = isTool ? ordered.findLastIndex((earlier) => !isResult(earlier)) + 1 : ordered.length;
    ordered.splice(place, 0, frame);
  }
  return ordered;
}

function isResult({ event, data }: RecordedFrame): boolean {
  return isOf('messages', event) && text(list(data)[0], 'type') === 'tool';
}

function isEnd({ event, data }: RecordedFrame): boolean {
  return event === 'events' && /^on_(chat_model|chain)_end$/.test(text(data, 'event') ?? '');
}

/** The last of the frames that show one message while it grows. */
export function newestPartials(frames: Frames): Frames {
  const idOf = ({ event, data }: RecordedFrame) =>
    isOf('messages/partial', event) ? text(list(data)[0], 'id') : undefined;
  return frames.filter((frame, index) => {
    const id = idOf(frame);
    return id === undefined || !frames.slice(index + 1).some((later) => idOf(later) === id);
  });
}

/** Without the messages that the peer's first state has beside the `count` ones of the input. */
export function withoutEarlier(frames: Frames, count: number): Frames {
  const first = frames.findIndex(({ event }) => isOf('messages/complete', event));
  return frames.flatMap((frame, index) => {
    if (index !== first) return [frame];
    const added = count === 0 ? [] : list(frame.data).slice(-count);
    return added.length === 0 ? [] : [{ ...frame, data: added }];
  });
}

export function inputCount(request: Readonly<Record<string, unknown>>): number {
  return list(fields(request.input)?.messages).length;
}

/** The metadata of a message or an event. */
function metadataOf({ event, data }: RecordedFrame): Fields | undefined {
  return fields(kindOfMessage(event) === undefined ? fields(data)?.metadata : list(data)[1]);
}

/** Names of agents and of the node last, which the whole run of an agent does not have. */
function namespaceOf(frame: RecordedFrame): { readonly agent: string; readonly node: string } {
  const names = (text(metadataOf(frame), 'langgraph_checkpoint_ns') ?? '').split('|');
  const node = text(frame.data, 'name') === 'LangGraph' ? '' : (names.pop() ?? '');
  return { agent: names.join('|'), node };
}

export function isNested(frame: RecordedFrame): boolean {
  const isTold = kindOfMessage(frame.event) !== undefined || frame.event === 'events';
  return isTold && namespaceOf(frame).agent !== '';
}

export function namedByAgent(frame: RecordedFrame): RecordedFrame {
  const metadata = metadataOf(frame);
  if (metadata?.langgraph_checkpoint_ns === undefined) return frame;
  const { agent } = namespaceOf(frame);
  const named = { ...metadata, langgraph_checkpoint_ns: agent };
  if (frame.event === 'events') return { ...frame, data: { ...fields(frame.data), metadata: named } };
  const kind = kindOfMessage(frame.event);
  if (kind === undefined) return frame;
  // The peer gives the agent's name to the frames of one mode only.
  const isNamed = (frame.event.includes('|') || kind !== 'messages') && agent !== '';
  return { event: isNamed ? `${kind}|${agent}` : kind, data: [list(frame.data)[0], named] };
}

export function isProgress(data: unknown): boolean {
  return (text(data, 'type') ?? '').startsWith('task_');
}

/** Whether the frame is of the kind, whichever agent it is from. */
function isOf(kind: string, event: string): boolean {
  return event === kind || event.startsWith(`${kind}|`);
}

/** The frames with the data of those events changed whose name or kind it is. */
export function changed(frames: Frames, nameOrEvent: string, change: (data: Fields) => Fields): Frames {
  return frames.map((frame) => {
    const { name, event } = fields(frame.data) ?? {};
    const isMeant = frame.event === 'events' && (name === nameOrEvent || event === nameOrEvent);
    return isMeant ? { ...frame, data: change(fields(frame.data) ?? {}) } : frame;
  });
}

export function withoutClosing(ours: Frames): Frames {
  if (!ours.some(({ event }) => event === 'error')) return ours;
  return ours.filter((frame, index) => {
    if (isCheckpoint(frame)) return list(checkpointOf(frame)?.next).length > 0;
    if (frame.event !== 'values') return true;
    const before = ours.slice(0, index).findLast(({ event }) => event === 'values');
    return !isDeepStrictEqual(before?.data, frame.data);
  });
}

/** A tool that asked the person, told as an error. */
export function isQuestion({ data }: RecordedFrame): boolean {
  const error = text(fields(data)?.data, 'error') ?? '';
  return text(data, 'event') === 'on_tool_error' && error.includes('GraphInterrupt');
}

export function withoutWording({ event, data }: RecordedFrame): RecordedFrame {
  const plain = (_: string, value: unknown) =>
    typeof value === 'string' && value.startsWith('Error: ') ? 'Error' : value;
  return { event, data: JSON.parse(JSON.stringify(data, plain)) };
}

export function isEmptyPiece({ event, data }: RecordedFrame): boolean {
  const isMessage = isOf('messages', event);
  const isPiece = isMessage || text(data, 'event') === 'on_chat_model_stream';
  const piece = fields(isMessage ? list(data)[0] : fields(fields(data)?.data)?.chunk);
  if (!isPiece || piece === undefined) return false;
  const { content, tool_call_chunks, usage_metadata } = piece;
  return content === '' && list(tool_call_chunks).length === 0 && usage_metadata === undefined;
}

export function withoutInstructions(data: Fields): Fields {
  const [messages] = list(fields(fields(fields(data)?.data)?.input)?.messages);
  const shown = list(messages).filter((message) => text(message, 'type') !== 'system');
  return { ...data, data: { ...fields(data.data), input: { messages: [shown] } } };
}

export function withoutInput(frame: RecordedFrame): RecordedFrame {
  const { input: _, ...data } = fields(fields(frame.data)?.data) ?? {};
  return { ...frame, data: { ...fields(frame.data), data } };
}

export function withoutCommand(data: Fields): Fields {
  const input = fields(data.data)?.input;
  return text(input, 'lg_name') === 'Command' ? { ...data, data: { input: null } } : data;
}
