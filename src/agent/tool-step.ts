// The tools step: the calls of an answer are reviewed, run, and their results put in order.
import type { Interrupt } from '../messages/interrupt.ts';
import type { AiMessage, JsonObject, ToolCall } from '../messages/message.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import { failure, RunInterrupt } from '../tools/tool.ts';
import type { AgentNode, Answers, UnfinishedStep } from './agent.ts';
import type { AgentStop, Emit, PendingTask, ToolEnd } from './agent-event.ts';
import type { AgentTool } from './delegating-tool.ts';
import { executeTools, toolEnd } from './execute-tools.ts';
import { answersJson } from './interrupts.ts';
import { createKnownFiles } from './known-files.ts';
import { type HookContext, type Middleware, type ReviewedTools, reviewTools } from './middleware.ts';
import { foldToolValues } from './tool-values.ts';

/** What an answer may make the service do at once, and at all. */
export interface ToolCallLimits {
  /** Calls of an answer that run at the same time. */
  readonly atOnce: number;
  /** Calls of an answer that run; those beyond get an error. */
  readonly most: number;
  /** What the results of an answer's calls may add to the prompt together, in characters. */
  readonly maxCharacters: number;
}

/** Of one call: enough to see what it is about. */
const LEAST_CHARACTERS = 2_000;

export interface ToolStepInput {
  readonly context: HookContext;
  readonly message: AiMessage;
  /** The calls of the message that have no result yet. */
  readonly calls: readonly ToolCall[];
  readonly limits: ToolCallLimits;
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

export async function toolStep(input: ToolStepInput, emit: Emit): Promise<ToolStepOutcome> {
  const { context, message, limits, newId } = input;
  const beyond = new Set(message.tool_calls.slice(limits.most).map(({ id }) => id));
  const review = await reviewed(
    input,
    input.calls.filter(({ id }) => !beyond.has(id)),
  );
  if ('interrupts' in review) return paused(input, { messages: [], values: {} }, review.interrupts);
  const step = {
    userId: context.userId,
    threadId: context.threadId,
    runId: context.runId,
    namespace: input.namespace,
    calls: review.calls,
    atOnce: limits.atOnce,
    tools: input.tools,
    seesImages: input.seesImages,
    knownFiles: createKnownFiles(context.state.messages, input.unfinished?.toolEnds ?? []),
    // By the calls of the message: a step that is done again after a crash has the same.
    maxCharacters: Math.max(LEAST_CHARACTERS, Math.floor(limits.maxCharacters / message.tool_calls.length)),
    unfinished: input.unfinished,
    answers: input.answers,
    signal: context.signal,
    newId,
  };
  const { ends, interrupts } = await executeTools(step, emit);
  const excess = input.calls.filter(({ id }) => beyond.has(id));
  const beyondLimit = excess.map((call) => ({ call, message: tooMany(limits.most) }));
  const refused = await refusals(input, [...review.refused, ...beyondLimit], emit);
  const results = inCallOrder(message.tool_calls, [...ends, ...refused]);
  const delta = deltaOf(context.state.values, review, results);
  if (context.signal.aborted) return { delta, next: [], tasks: [], stop: { kind: 'aborted' } };
  if (interrupts.length > 0) return paused(input, delta, interrupts);
  // A clarifying question has its result: the person's next message answers it.
  if (results.some((end) => end.awaitsInput))
    return { delta, next: [], tasks: [], stop: { kind: 'awaiting_input' } };
  return { delta, next: ['model'], tasks: [], stop: undefined };
}

function tooMany(most: number): string {
  return `Error: one answer may make at most ${most} tool calls, and this one was not run. Make it in another answer if it is still needed.`;
}

/** Those that an earlier attempt told already are not told again. */
async function refusals(
  { unfinished, newId }: ToolStepInput,
  refused: ReviewedTools['refused'],
  emit: Emit,
): Promise<readonly ToolEnd[]> {
  const endsByCall = new Map(unfinished?.toolEnds.map((end) => [end.message.tool_call_id, end]));
  const ends: ToolEnd[] = [];
  for (const { call, message } of refused) {
    const known = endsByCall.get(call.id);
    const end = known ?? toolEnd({ newId }, call, failure(message));
    if (known === undefined) await emit(end);
    ends.push(end);
  }
  return ends;
}

async function reviewed(
  input: ToolStepInput,
  calls: readonly ToolCall[],
): Promise<ReviewedTools | { readonly interrupts: readonly Interrupt[] }> {
  const { context, message, middleware, answers } = input;
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
