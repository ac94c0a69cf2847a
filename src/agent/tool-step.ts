// The tools step: the calls of an answer are reviewed, run, and their results put in order.
import type { Interrupt } from '../messages/interrupt.ts';
import type { AiMessage, JsonObject, ToolCall } from '../messages/message.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import { failure, RunInterrupt } from '../tools/tool.ts';
import type { AgentNode, Answers, UnfinishedStep } from './agent.ts';
import type { AgentEvent, AgentStop, PendingTask, ToolEnd } from './agent-event.ts';
import type { AgentTool } from './delegating-tool.ts';
import { executeTools, toolEnd } from './execute-tools.ts';
import { answersJson } from './interrupts.ts';
import { createKnownFiles } from './known-files.ts';
import { composeToolCall, type HookContext, type Middleware } from './middleware.ts';
import { type ReviewedTools, reviewTools } from './review-tools.ts';
import { foldToolValues } from './tool-values.ts';

export interface ToolStepInput {
  readonly context: HookContext;
  readonly message: AiMessage;
  /** The calls of the message that have no result yet. */
  readonly calls: readonly ToolCall[];
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly seesImages: boolean;
  readonly namespace: string;
  readonly middleware: readonly Middleware[];
  readonly unfinished: UnfinishedStep | undefined;
  readonly answers: Answers;
  readonly taskId: string;
  readonly newId: () => string;
}

/** What the step changed, and where the run goes from here. */
export interface ToolStepOutcome {
  readonly delta: StateDelta;
  readonly next: readonly AgentNode[];
  readonly tasks: readonly PendingTask[];
  readonly stop: AgentStop | undefined;
}

export async function* toolStep(input: ToolStepInput): AsyncGenerator<AgentEvent, ToolStepOutcome, void> {
  const { context, message, middleware, newId } = input;
  const review = await reviewed(input);
  if ('interrupts' in review) return paused(input, { messages: [], values: {} }, review.interrupts);
  const { ends, interrupts } = yield* executeTools({
    userId: context.userId,
    threadId: context.threadId,
    runId: context.runId,
    namespace: input.namespace,
    calls: review.calls,
    tools: input.tools,
    seesImages: input.seesImages,
    knownFiles: createKnownFiles(context.state.messages, input.unfinished?.toolEnds ?? []),
    wrap: (call, run) => composeToolCall(middleware, run)(call),
    unfinished: input.unfinished,
    answers: input.answers,
    signal: context.signal,
    newId,
  });
  const refused = review.refused.map(({ call, message: text }) => toolEnd({ newId }, call, failure(text)));
  yield* refused;
  const results = inCallOrder(message.tool_calls, [...ends, ...refused]);
  const delta = deltaOf(context.state.values, review, results);
  if (context.signal.aborted) return { delta, next: [], tasks: [], stop: { kind: 'aborted' } };
  if (interrupts.length > 0) return paused(input, delta, interrupts);
  // A clarifying question has its result: the person's next message answers it.
  if (results.some((end) => end.awaitsInput))
    return { delta, next: [], tasks: [], stop: { kind: 'awaiting_input' } };
  return { delta, next: ['model'], tasks: [], stop: undefined };
}

async function reviewed(
  input: ToolStepInput,
): Promise<ReviewedTools | { readonly interrupts: readonly Interrupt[] }> {
  const { context, message, calls, middleware, answers } = input;
  try {
    return await reviewTools(middleware, { message, calls }, { ...context, answers });
  } catch (error) {
    if (error instanceof RunInterrupt) return { interrupts: error.interrupts };
    throw error;
  }
}

/** The step is done again when the person has answered. */
function paused(
  { taskId, answers }: ToolStepInput,
  delta: StateDelta,
  interrupts: readonly Interrupt[],
): ToolStepOutcome {
  const task: PendingTask = { id: taskId, name: 'tools', interrupts, answered: answersJson(answers) };
  return { delta, next: ['tools'], tasks: [task], stop: { kind: 'awaiting_input' } };
}

function inCallOrder(calls: readonly ToolCall[], ends: readonly ToolEnd[]): readonly ToolEnd[] {
  const byId = new Map(ends.map((end) => [end.message.tool_call_id, end]));
  return calls.flatMap((call) => byId.get(call.id) ?? []);
}

function deltaOf(before: JsonObject, review: ReviewedTools, ends: readonly ToolEnd[]): StateDelta {
  const results = ends.map((end) => end.message);
  const messages = review.edited === undefined ? results : [review.edited, ...results];
  const changes = [review.values ?? {}, ...ends.map((end) => end.values)];
  return { messages, values: foldToolValues(before, changes) };
}
