// `values`, `updates`, `tasks`, `checkpoints` and `debug`: the start and end of steps, in the peer's order.
import type { JsonObject } from '../../../messages/message.ts';
import { isEmptyDelta } from '../../../messages/thread-state.ts';
import type { RunOutput, StateWritten, StepStarted } from '../../log/log-event.ts';
import type { Frame, ShownState } from '../../request/stream-modes.ts';
import { type FrameContext, framesIn } from './frame-context.ts';
import { checkpointText, type FrameText, updateText, valuesText, within } from './frame-text.ts';
import { runEndFrames, runStartFrames, stepEndFrames, stepStartFrames } from './langchain-events.ts';
import { completeFrames, wholeMessageFrames } from './message-frames.ts';

/** Shows a step with the state given to its node. Logs of older versions lack that state. */
export function startFrames(
  event: StepStarted,
  context: FrameContext,
  shown: ShownState | undefined,
): readonly Frame[] {
  const { modes } = context;
  if (!modes.has('events') && !modes.has('tasks') && !modes.has('debug')) return [];
  const input = shown === undefined ? '{}' : valuesText(shown.state);
  const name = JSON.stringify(event.node);
  const trigger = JSON.stringify(`branch:to:${event.node}`);
  const task = within(
    `{"id":"${event.taskId}","name":${name},"input":`,
    input,
    `,"triggers":[${trigger}],"interrupts":[],"metadata":{"run_id":"${context.runId}"}}`,
  );
  return [
    ...stepStartFrames(event, context, input),
    ...framesIn('tasks', context, () => task),
    ...framesIn('debug', context, () => debugText('task', { ...event, timeId: event.taskId }, task)),
  ];
}

/** Shows a checkpoint. One without a node is what the run begins with, or what it was left with. */
export function stateFrames(event: StateWritten, context: FrameContext, shown: ShownState): readonly Frame[] {
  const { interrupts } = event;
  const asked = interrupts === undefined ? undefined : { __interrupt__: interrupts };
  const values = framesIn('values', context, () => valuesText(shown.state, asked));
  const ended = event.node === null ? undefined : endOf({ ...event, node: event.node }, context, shown);
  return [
    ...(ended === undefined && event.source === 'input' ? runStartFrames(shown, context) : []),
    ...wholeMessageFrames(shown, context),
    ...(ended?.updates ?? []),
    ...(asked === undefined ? [] : [...askedFrames(asked, context), ...values]),
    ...(ended?.results ?? []),
    ...(asked === undefined ? values : []),
    ...completeFrames(shown, context),
    ...checkpointFrames(event, context, shown),
  ];
}

/** Shows the run's output. A run that was requested to stop here reports that, without a question. */
export function outputFrames(event: RunOutput, context: FrameContext, shown: ShownState): readonly Frame[] {
  const stopped = { __interrupt__: [] };
  return [
    ...(event.isBreakpoint ? askedFrames(stopped, context) : []),
    ...(event.isBreakpoint ? framesIn('values', context, () => valuesText(shown.state, stopped)) : []),
    ...runEndFrames(shown, context),
  ];
}

/** Shows questions to the person under the key that clients read. */
function askedFrames(asked: JsonObject, context: FrameContext): readonly Frame[] {
  return framesIn('updates', context, () => JSON.stringify(asked));
}

function endOf(
  event: StateWritten & { readonly node: string },
  context: FrameContext,
  shown: ShownState,
): { readonly updates: readonly Frame[]; readonly results: readonly Frame[] } {
  const { taskId, node, interrupts = [] } = event;
  const { delta } = shown;
  const name = JSON.stringify(node);
  const result = () => updateText(delta);
  const task = () =>
    within(
      `{"id":"${taskId}","name":${name},"result":`,
      result(),
      `,"interrupts":${JSON.stringify(interrupts)}}`,
    );
  const updates = isEmptyDelta(delta)
    ? []
    : framesIn('updates', context, () => within(`{${name}:`, result(), '}'));
  return {
    updates: [...stepEndFrames(event, context, shown), ...updates],
    results: [
      ...framesIn('tasks', context, task),
      ...framesIn('debug', context, () => debugText('task_result', ended(event), task())),
    ],
  };
}

function checkpointFrames(
  event: StateWritten,
  context: FrameContext,
  { state }: ShownState,
): readonly Frame[] {
  const { modes } = context;
  if (!modes.has('checkpoints') && !modes.has('debug')) return [];
  const checkpoint = checkpointText(event, context, state);
  return [
    ...framesIn('checkpoints', context, () => checkpoint),
    ...framesIn('debug', context, () => debugText('checkpoint', ended(event), checkpoint)),
  ];
}

interface DebugStep {
  readonly step: number;
  /** A UUIDv7 made at the time of the frame: it begins with the milliseconds, the same for every reader. */
  readonly timeId: string;
}

function ended({ step, node, checkpointId, taskId }: StateWritten): DebugStep {
  return { step, timeId: node === null ? taskId : checkpointId };
}

function debugText(
  type: 'checkpoint' | 'task' | 'task_result',
  { step, timeId }: DebugStep,
  payload: FrameText,
): FrameText {
  const milliseconds = Number.parseInt(timeId.replaceAll('-', '').slice(0, 12), 16);
  const timestamp = new Date(milliseconds).toISOString();
  return within(`{"type":"${type}","timestamp":"${timestamp}","step":${step},"payload":`, payload, '}');
}
