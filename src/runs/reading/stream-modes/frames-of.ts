// Renders an event as frames for the modes of a reader. Pure.
import type { innerEvent, LogEvent, SubagentLogEvent } from '../../log/log-event.ts';
import type { Frame, ShownState, StreamMode } from '../../request/stream-modes.ts';
import { type FrameContext, framesIn } from './frame-context.ts';
import { modelStartFrames, runEndFrames, toolEndFrames, toolStartFrames } from './langchain-events.ts';
import { chunkFrames, restartFrames, textFrames, toolResultFrames } from './message-frames.ts';
import { outputFrames, startFrames, stateFrames } from './step-frames.ts';

type EventType = ReturnType<typeof innerEvent>['type'];

/** The modes that may show the state of an event, by the event's type. */
const SHOWN_BY: ReadonlyMap<EventType, readonly StreamMode[]> = new Map([
  ['state', ['values', 'messages', 'updates', 'events', 'debug', 'tasks', 'checkpoints']],
  ['step_start', ['events', 'debug', 'tasks']],
  ['model_start', ['events']],
  ['tools_start', ['events']],
  ['tool_end', ['events']],
  ['output', ['values', 'updates', 'events']],
  ['ended', ['events']],
]);

/** True when frames of these modes need the state of the event. */
export function showsState(event: ReturnType<typeof innerEvent>, modes: ReadonlySet<StreamMode>): boolean {
  if (event.type === 'output' && !event.isBreakpoint) return modes.has('events');
  return SHOWN_BY.get(event.type)?.some((mode) => modes.has(mode)) ?? false;
}

/** Returns the frames of a lead agent, with the namespace after each name; `events` keep their name. */
export function subagentFrames(
  { event }: SubagentLogEvent,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  if (event.type === 'ended') return shown === undefined ? [] : runEndFrames(shown, context);
  return framesOf(event, context, shown).map(({ event: name, ...frame }) => ({
    ...frame,
    event: name === 'events' ? name : `${name}|${context.namespace}`,
  }));
}

/** Returns the frames of one event, in order; the same for every reader of the same modes. */
export function framesOf(
  event: Exclude<LogEvent, SubagentLogEvent>,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return textFrames(event, context);
    case 'tool_call_delta':
    case 'message_end':
      return chunkFrames(event, context);
    case 'message_restart':
      return restartFrames(event, context);
    case 'model_start':
      return modelStartFrames(event, context, shown);
    case 'step_start':
      return startFrames(event, context, shown);
    case 'tools_start':
      return toolStartFrames(event, context, shown);
    case 'tool_end':
      return [...toolEndFrames(event, context, shown), ...toolResultFrames(event.message, context)];
    case 'custom':
      return framesIn('custom', context, () => JSON.stringify(event.data));
    case 'state':
      return shown === undefined ? [] : stateFrames(event, context, shown);
    case 'output':
      return shown === undefined ? [] : outputFrames(event, context, shown);
    case 'attempt':
    case 'error':
    case 'end':
      return [lifecycleFrame(event, context)];
  }
}

function lifecycleFrame(
  event: Extract<LogEvent, { type: 'attempt' | 'error' | 'end' }>,
  { runId, threadId }: FrameContext,
): Frame {
  switch (event.type) {
    case 'attempt': {
      const { attempt } = event;
      return { event: 'metadata', data: JSON.stringify({ run_id: runId, thread_id: threadId, attempt }) };
    }
    case 'error': {
      const { type: _, ...failure } = event;
      return { event: 'error', data: JSON.stringify(failure) };
    }
    case 'end':
      return { event: 'end', data: '{}' };
  }
}
