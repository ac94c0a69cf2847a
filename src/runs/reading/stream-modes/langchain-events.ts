// `events`: the beginning and the result of the run, its steps, model and tool calls (SDK: LangChain events).
import { type Message, type ToolCall, textOf } from '../../../messages/message.ts';
import { serializedMessage } from '../../../messages/serialized-message.ts';
import { isEmptyDelta } from '../../../messages/thread-state.ts';
import type {
  CallEnded,
  CallsStarted,
  ModelStarted,
  StateWritten,
  StepStarted,
} from '../../log/log-event.ts';
import type { Frame, ShownState } from '../../request/stream-modes.ts';
import { type FrameContext, nodeMetadata } from './frame-context.ts';
import { type FrameText, messagesText, updateText, valuesText, within } from './frame-text.ts';

/** The names by which clients find the run as a whole, and the model. */
const RUN_NAME = 'LangGraph';
const MODEL_NAME = 'model';

/** Returns a piece of a message, built as text because one is sent with every token. */
export function modelStreamFrame(messageId: string, chunk: string, context: FrameContext): Frame {
  const { workId, metadata } = context;
  const data = `{"event":"on_chat_model_stream","name":"${MODEL_NAME}","run_id":"${messageId}","tags":[],"parent_ids":["${workId}"],"metadata":${metadata.model},"data":{"chunk":${chunk}}}`;
  return { event: 'events', data };
}

export function runStartFrames({ delta }: ShownState, context: FrameContext): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  const input = isEmptyDelta(delta) ? 'null' : updateText(delta);
  return [eventFrame('on_chain_start', runOrigin(context), within('{"input":', input, '}'))];
}

export function runEndFrames({ state }: ShownState, context: FrameContext): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  return [eventFrame('on_chain_end', runOrigin(context), within('{"output":', valuesText(state), '}'))];
}

/** `input` is the JSON text of the state given to the node. */
export function stepStartFrames(
  event: StepStarted,
  context: FrameContext,
  input: FrameText,
): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  return [eventFrame('on_chain_start', stepOrigin(event, context), within('{"input":', input, '}'))];
}

/** Shows the model's whole reply and the step's changes. A step that waits for the person has not ended. */
export function stepEndFrames(
  event: StateWritten & { readonly node: string },
  context: FrameContext,
  { state, delta }: ShownState,
): readonly Frame[] {
  if (!context.modes.has('events') || isEmptyDelta(delta) || event.interrupts !== undefined) return [];
  const replies = event.node === 'model' ? delta.messages.filter((message) => message.type === 'ai') : [];
  const isNew = new Set(delta.messages.map(({ id }) => id));
  const given = state.messages.filter(({ id }) => !isNew.has(id));
  return [
    ...replies.map((reply) =>
      eventFrame(
        'on_chat_model_end',
        modelOrigin(reply.id, context),
        within(`{"output":${serializedMessage(reply).text},"input":`, promptText(given), '}'),
      ),
    ),
    eventFrame('on_chain_end', stepOrigin(event, context), within('{"output":', updateText(delta), '}')),
  ];
}

/** Shows the messages given to the model, without the agent's own instructions. */
export function modelStartFrames(
  { messageId }: ModelStarted,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  const origin = modelOrigin(messageId, context);
  return [
    eventFrame('on_chat_model_start', origin, within('{"input":', promptText(shown?.state.messages), '}')),
  ];
}

function promptText(messages: readonly Message[] | undefined): FrameText {
  return messages === undefined ? '{"messages":[]}' : within('{"messages":[', messagesText(messages), ']}');
}

export function toolStartFrames(
  { callIds, edited = [] }: CallsStarted,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  return callIds.flatMap((callId) => {
    const call = callOf(callId, edited, shown);
    if (call === undefined) return [];
    const input = JSON.stringify(call.args);
    return [eventFrame('on_tool_start', toolOrigin(callId, call.name, context), `{"input":${input}}`)];
  });
}

export function toolEndFrames(
  { message, edited }: CallEnded,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  if (!context.modes.has('events')) return [];
  const { tool_call_id: callId } = message;
  const origin = toolOrigin(callId, message.name ?? '', context);
  const call = callOf(callId, edited === undefined ? [] : [edited], shown);
  const input = call === undefined ? '' : `,"input":${JSON.stringify(call.args)}`;
  if (message.status === 'error') {
    const error = JSON.stringify(textOf(message.content));
    return [eventFrame('on_tool_error', origin, `{"error":${error}${input}}`)];
  }
  return [eventFrame('on_tool_end', origin, `{"output":${serializedMessage(message).text}${input}}`)];
}

/** Returns the call as it runs: as the model requested it, unless it was edited. */
function callOf(
  callId: string,
  edited: readonly ToolCall[],
  shown: ShownState | undefined,
): ToolCall | undefined {
  const asked = shown?.state.messages.findLast((message) => message.type === 'ai')?.tool_calls ?? [];
  return [...edited, ...asked].find(({ id }) => id === callId);
}

/** The subject of an event; `metadata` is JSON text. */
interface Origin {
  readonly name: string;
  readonly runId: string;
  readonly tags: readonly string[];
  readonly parents: readonly string[];
  readonly metadata: string;
}

function runOrigin({ runId, workId, metadata }: FrameContext): Origin {
  const parents = workId === runId ? [] : [runId];
  return { name: RUN_NAME, runId: workId, tags: [], parents, metadata: metadata.run };
}

type Step = { readonly node: string; readonly step: number; readonly taskId: string };

function stepOrigin({ node, step, taskId }: Step, context: FrameContext): Origin {
  const metadata = nodeMetadata(context, node);
  const tags = [`graph:step:${step}`];
  return { name: node, runId: taskId, tags, parents: [context.workId], metadata };
}

function modelOrigin(messageId: string, { workId, metadata }: FrameContext): Origin {
  return { name: MODEL_NAME, runId: messageId, tags: [], parents: [workId], metadata: metadata.model };
}

function toolOrigin(callId: string, name: string, { workId, metadata }: FrameContext): Origin {
  return { name, runId: callId, tags: [], parents: [workId], metadata: metadata.tools };
}

/** `data` is JSON text. */
function eventFrame(event: string, { name, runId, tags, parents, metadata }: Origin, data: FrameText): Frame {
  const head = JSON.stringify({ event, name, run_id: runId, tags, parent_ids: parents });
  return { event: 'events', data: within(`${head.slice(0, -1)},"metadata":${metadata},"data":`, data, '}') };
}
