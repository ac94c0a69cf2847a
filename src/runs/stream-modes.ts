// Which frames an event becomes for a reader of certain modes (decisions, section 4). Pure.
import type { MessageDelta, MessageEnd, TextDelta } from '../agent/agent-event.ts';
import type { JsonObject } from '../messages/message.ts';
import { serializedMessage } from '../messages/serialized-message.ts';
import {
  isEmptyDelta,
  type StateDelta,
  serializedUpdate,
  serializedValues,
  type ThreadState,
} from '../messages/thread-state.ts';
import type { LogEvent, StateWritten } from './log-event.ts';

export const STREAM_MODES = [
  'values',
  'messages-tuple',
  'custom',
  'updates',
  'events',
  'debug',
  'tasks',
  'checkpoints',
] as const;

export type StreamMode = (typeof STREAM_MODES)[number];

/** One frame: its event name and its data as one line of JSON. */
export interface Frame {
  readonly event: string;
  readonly data: string;
}

/** What a `state` event stands for; loaded by the reader only for modes that show it. */
export interface ShownState {
  readonly state: ThreadState;
  readonly delta: StateDelta;
  /** The pieces of its message are gone: readers of messages are shown it whole. */
  readonly whole: boolean;
}

export interface FrameContext {
  readonly runId: string;
  readonly threadId: string;
  readonly modes: ReadonlySet<StreamMode>;
}

const STATE_MODES = [
  'values',
  'updates',
  'debug',
  'tasks',
  'checkpoints',
] as const satisfies readonly StreamMode[];

/** Whether frames of these modes need the state that a `state` event stands for. */
export function showsState(modes: ReadonlySet<StreamMode>): boolean {
  return STATE_MODES.some((mode) => modes.has(mode));
}

/** The frames of one event, in order; the same for every reader of the same modes. */
export function framesOf(
  event: LogEvent,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  const { modes, runId, threadId } = context;
  switch (event.type) {
    case 'attempt':
      return [frame('metadata', { run_id: runId, thread_id: threadId, attempt: event.attempt })];
    case 'error':
      return [frame('error', { error: event.error, message: event.message })];
    case 'end':
      return [{ event: 'end', data: '{}' }];
    case 'custom':
      return modes.has('custom') ? [{ event: 'custom', data: JSON.stringify(event.data) }] : [];
    case 'state':
      return shown === undefined ? [] : stateFrames(event, context, shown);
    case 'step_start':
      return stepStartFrames(event, context);
    case 'tool_end': {
      const tuple = `[${serializedMessage(event.message).text},${metadataText(context, 'tools')}]`;
      return modes.has('messages-tuple') ? [{ event: 'messages', data: tuple }] : [];
    }
    case 'text_delta':
    case 'reasoning_delta':
      return textFrames(event, context);
    case 'tool_call_delta':
    case 'message_end':
      return messageFrames(event, context);
    case 'message_restart': {
      const data = `[${JSON.stringify({ type: 'remove', id: event.messageId })},${metadataText(context, 'model')}]`;
      return modes.has('messages-tuple') ? [{ event: 'messages', data }] : [];
    }
    case 'tools_start':
      return [];
    default:
      return event satisfies never;
  }
}

function frame(event: string, data: JsonObject): Frame {
  return { event, data: JSON.stringify(data) };
}

/** The pieces of a text as they arrived. */
function textFrames({ type, messageId, text, lengths }: TextDelta, context: FrameContext): readonly Frame[] {
  const metadata = metadataText(context, 'model');
  if (lengths === undefined) return messageFrames({ type, messageId, text }, context, metadata);
  const frames: Frame[] = [];
  let start = 0;
  for (const length of lengths) {
    const piece = text.slice(start, start + length);
    frames.push(...messageFrames({ type, messageId, text: piece }, context, metadata));
    start += length;
  }
  return frames;
}

function messageFrames(
  event: MessageDelta | MessageEnd,
  context: FrameContext,
  metadata = metadataText(context, 'model'),
): readonly Frame[] {
  const frames: Frame[] = [];
  const chunk = chunkText(event);
  if (context.modes.has('messages-tuple')) {
    frames.push({ event: 'messages', data: `[${chunk},${metadata}]` });
  }
  if (context.modes.has('events')) frames.push(modelEventFrame(event, context, chunk));
  return frames;
}

/** The chunk in its dump shape, put together as text: this is the hottest line of the service. */
function chunkText(event: MessageDelta | MessageEnd): string {
  const id = `"id":"${event.messageId}"`;
  switch (event.type) {
    case 'text_delta':
      return `{"content":${JSON.stringify(event.text)},${PLAIN_CHUNK}${id}}`;
    case 'reasoning_delta':
      return `{"content":"","additional_kwargs":{"reasoning_content":${JSON.stringify(event.text)}},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[],${id}}`;
    case 'tool_call_delta':
      return `{"content":"","additional_kwargs":{},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[${callChunkText(event)}],${id}}`;
    case 'message_end':
      return `{"content":"","additional_kwargs":{},${CHUNK}"response_metadata":${JSON.stringify(event.responseMetadata)},"usage_metadata":${JSON.stringify(event.usage)},"tool_call_chunks":[],"chunk_position":"last",${id}}`;
    default:
      return event satisfies never;
  }
}

const CHUNK =
  '"type":"AIMessageChunk","role":"assistant","name":null,"tool_calls":[],"invalid_tool_calls":[],';
const PLAIN_CHUNK = `"additional_kwargs":{},${CHUNK}"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[],`;

function callChunkText(event: Extract<MessageDelta, { type: 'tool_call_delta' }>): string {
  const { index, id = null, name = null, args } = event;
  return JSON.stringify({ name, args, id, index, type: 'tool_call_chunk' });
}

function metadataText({ runId, threadId }: FrameContext, node: string): string {
  return `{"langgraph_node":"${node}","langgraph_checkpoint_ns":"","run_id":"${runId}","thread_id":${JSON.stringify(threadId)},"tags":[]}`;
}

function modelEventFrame(event: MessageDelta | MessageEnd, context: FrameContext, chunk: string): Frame {
  const name = event.type === 'message_end' ? 'on_chat_model_end' : 'on_chat_model_stream';
  const key = event.type === 'message_end' ? 'output' : 'chunk';
  const metadata = metadataText(context, 'model');
  const data = `{"event":"${name}","name":"model","run_id":"${event.messageId}","tags":[],"parent_ids":["${context.runId}"],"metadata":${metadata},"data":{"${key}":${chunk}}}`;
  return { event: 'events', data };
}

function stateFrames(event: StateWritten, context: FrameContext, shown: ShownState): readonly Frame[] {
  const { modes } = context;
  const frames: Frame[] = [...wholeMessages(context, shown)];
  const result = event.node === null ? undefined : serializedUpdate(shown.delta);
  const asked = interruptsOf(event);
  const isShown = result !== undefined && !(asked !== undefined && isEmptyDelta(shown.delta));
  if (isShown && modes.has('updates')) {
    frames.push({ event: 'updates', data: `{${JSON.stringify(event.node)}:${result}}` });
  }
  if (asked !== undefined && modes.has('updates')) frames.push(frame('updates', asked));
  if (result !== undefined) frames.push(...taskFrames(event, context, taskResultText(event, result)));
  if (modes.has('checkpoints') || modes.has('debug')) {
    frames.push(...checkpointFrames(event, context, checkpointText(event, context, shown.state)));
  }
  if (modes.has('values')) frames.push({ event: 'values', data: serializedValues(shown.state, asked) });
  return frames;
}

function wholeMessages(context: FrameContext, { delta, whole }: ShownState): readonly Frame[] {
  if (!whole || !context.modes.has('messages-tuple')) return [];
  const answers = delta.messages.filter((message) => message.type === 'ai');
  return answers.map((message) => ({
    event: 'messages',
    data: `[${serializedMessage(message).text},${metadataText(context, 'model')}]`,
  }));
}

/** The key under which clients look for questions to the person. */
function interruptsOf({ interrupts }: StateWritten): JsonObject | undefined {
  return interrupts === undefined ? undefined : { __interrupt__: interrupts };
}

function stepStartFrames(
  event: Extract<LogEvent, { type: 'step_start' }>,
  context: FrameContext,
): readonly Frame[] {
  const task = {
    id: event.taskId,
    name: event.node,
    input: {},
    triggers: [`branch:to:${event.node}`],
    interrupts: [],
  };
  return taskFrames(event, context, JSON.stringify(task));
}

type TaskEvent = { readonly type: 'step_start' | 'state'; readonly taskId: string; readonly step: number };

function taskFrames(event: TaskEvent, { modes }: FrameContext, task: string): readonly Frame[] {
  const frames: Frame[] = [];
  if (modes.has('tasks')) frames.push({ event: 'tasks', data: task });
  if (modes.has('debug'))
    frames.push(debugFrame(event.type === 'state' ? 'task_result' : 'task', event, task));
  return frames;
}

function taskResultText(event: StateWritten, result: string): string {
  return `{"id":"${event.taskId}","name":${JSON.stringify(event.node)},"result":${result},"interrupts":[]}`;
}

function checkpointFrames(
  event: StateWritten,
  { modes }: FrameContext,
  checkpoint: string,
): readonly Frame[] {
  const frames: Frame[] = [];
  if (modes.has('checkpoints')) frames.push({ event: 'checkpoints', data: checkpoint });
  if (modes.has('debug')) frames.push(debugFrame('checkpoint', event, checkpoint));
  return frames;
}

function checkpointText(event: StateWritten, { threadId }: FrameContext, state: ThreadState): string {
  const config = (checkpointId: string | null): string =>
    checkpointId === null
      ? 'null'
      : `{"configurable":{"thread_id":${JSON.stringify(threadId)},"checkpoint_ns":"","checkpoint_id":"${checkpointId}"}}`;
  const metadata = JSON.stringify({ source: event.source, step: event.step, parents: {} });
  return `{"config":${config(event.checkpointId)},"parent_config":${config(event.parentId)},"values":${serializedValues(state)},"metadata":${metadata},"next":${JSON.stringify(event.next)},"tasks":[]}`;
}

function debugFrame(type: 'checkpoint' | 'task' | 'task_result', event: TaskEvent, payload: string): Frame {
  // A time that every reader gets alike: task ids are UUIDv7, which begin with their milliseconds.
  const timestamp = new Date(
    Number.parseInt(event.taskId.replaceAll('-', '').slice(0, 12), 16),
  ).toISOString();
  return {
    event: 'debug',
    data: `{"type":"${type}","timestamp":"${timestamp}","step":${event.step},"payload":${payload}}`,
  };
}
