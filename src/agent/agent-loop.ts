// The loop: model, tools, model ... until the model stops, a limit is reached or the signal aborts.
import { createBreath, LONG_CALL_MS } from '../breath.ts';
import type { AiMessage, JsonObject, ToolCall } from '../messages/message.ts';
import { openCalls } from '../messages/open-calls.ts';
import { foldDelta, isEmptyDelta, type StateDelta, type ThreadState } from '../messages/thread-state.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { Agent, AgentInput, AgentNode, Answers, NodeSelection, UnfinishedStep } from './agent.ts';
import type { AgentEvent, AgentStop, Caller, PendingTask } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';
import { callModel, type ModelOutcome } from './call-model.ts';
import type { AgentTool } from './delegating-tool.ts';
import {
  composeModelCall,
  effectOf,
  type HookContext,
  type HookName,
  hooksOf,
  type Middleware,
  type NamedHook,
  remedyFor,
  shapedRequest,
} from './middleware.ts';
import { stopAfter, stopAfterAnswer } from './stop-after.ts';
import { type ToolCallLimits, toolStep } from './tool-step.ts';

export interface AgentParts {
  /** Who its model calls are counted to. */
  readonly caller: Caller;
  readonly model: Model;
  readonly tools: readonly AgentTool[];
  readonly toolCalls: ToolCallLimits;
  readonly middleware: readonly Middleware[];
  readonly systemPrompt: () => string;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Makes an agent of a model, tools and middleware. */
export function createAgent(parts: AgentParts): Agent {
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]));
  return { run: (input) => new AgentRun(parts, tools, input).events() };
}

type Step = AsyncGenerator<AgentEvent, AgentStop | undefined, void>;

/** What hooks want of the loop. */
interface HookWishes {
  readonly asksAgain: boolean;
  /** The first that is wanted; hooks behind it do not run. */
  readonly stop: AgentStop | undefined;
}

/** How the model answered, and what was changed in the state so that it could. */
interface ModelAnswer {
  readonly outcome: ModelOutcome;
  readonly values: JsonObject;
}

/** One run of the agent: the state that its steps fold up, and the number of the next step. */
class AgentRun {
  readonly #parts: AgentParts;
  readonly #tools: ReadonlyMap<string, AgentTool>;
  readonly #input: AgentInput;
  #state: ThreadState;
  #step: number;
  /** Since the run began, or since the model was asked again behind an answer. */
  #taken = 0;

  constructor(parts: AgentParts, tools: ReadonlyMap<string, AgentTool>, input: AgentInput) {
    this.#parts = parts;
    this.#tools = tools;
    this.#input = input;
    this.#state = input.state;
    this.#step = input.step;
  }

  async *events(): AsyncGenerator<AgentEvent, void, void> {
    yield* this.#runHooks('beforeAgent', this.#firstHooks());
    const isOver = this.#isAnswered() && !(yield* this.#asksAgain());
    const stop: AgentStop = isOver ? this.#endOfAnswer() : yield* this.#steps();
    if (stop.kind !== 'awaiting_input') yield* this.#hooks('afterAgent');
    yield { type: 'finish', stop };
  }

  #endOfAnswer(): AgentStop {
    const answer = this.#lastAnswer();
    return (answer && stopAfterAnswer(answer)) ?? { kind: 'completed' };
  }

  #firstHooks(): readonly NamedHook[] {
    const { start } = this.#input;
    const hooks = hooksOf(this.#parts.middleware, 'beforeAgent');
    if (start.kind === 'input') return hooks;
    if (start.kind === 'continue') return [];
    const { firstHooks } = start;
    if (firstHooks.kind === 'due') return hooks;
    if (firstHooks.kind === 'answered') return [];
    const last = hooks.findIndex(({ node }) => node === firstHooks.node);
    return last === -1 ? [] : hooks.slice(last + 1);
  }

  async *#steps(): AsyncGenerator<AgentEvent, AgentStop, void> {
    const { start, options } = this.#input;
    let unfinished = start.kind === 'input' ? undefined : start.unfinished;
    let node: AgentNode = start.kind === 'input' ? 'model' : start.node;
    for (let isFirst = true; this.#taken < options.recursionLimit; isFirst = false) {
      const held = this.#heldBefore(node, isFirst);
      if (held !== undefined) return held;
      this.#taken++;
      const stop = yield* this.#take(node, unfinished);
      if (stop !== undefined) return stop;
      if (selects(options.interruptAfter, node)) return { kind: 'awaiting_input' };
      unfinished = undefined;
      node = openCalls(this.#state.messages).length > 0 ? 'tools' : 'model';
    }
    return {
      kind: 'max_steps',
      message: `The run was stopped after ${options.recursionLimit} steps without coming to an end. Send another message to go on, or raise recursion_limit.`,
    };
  }

  /** Why the node is not entered. The node that a run was told to go on at is entered. */
  #heldBefore(node: AgentNode, isFirst: boolean): AgentStop | undefined {
    const { start, options, signal } = this.#input;
    if (signal.aborted) return { kind: 'aborted' };
    const isToldToGoOn = isFirst && start.kind === 'continue';
    return !isToldToGoOn && selects(options.interruptBefore, node) ? { kind: 'awaiting_input' } : undefined;
  }

  #take(node: AgentNode, unfinished: UnfinishedStep | undefined): Step {
    const answer = this.#lastAnswer();
    const isTools = node === 'tools' && answer !== undefined && openCalls(this.#state.messages).length > 0;
    return isTools ? this.#toolStep(answer, unfinished) : this.#modelStep(unfinished);
  }

  /** The newest answer, when nothing but results of its calls came after it. */
  #lastAnswer(): AiMessage | undefined {
    const last = this.#state.messages.findLast(({ type }) => type !== 'tool');
    return last?.type === 'ai' ? last : undefined;
  }

  async *#modelStep(unfinished: UnfinishedStep | undefined): Step {
    const before = yield* this.#hooks('beforeModel');
    if (before.stop !== undefined) return before.stop;
    const taskId = this.#parts.newId();
    yield { type: 'step_start', node: 'model', step: this.#step, taskId };
    const { outcome, values } = yield* this.#answer(unfinished?.messageId ?? this.#parts.newId());
    const message = outcome.kind === 'answered' ? outcome.message : outcome.partial;
    const next = message !== undefined && message.tool_calls.length > 0 ? ['tools'] : [];
    yield this.#advance({
      node: 'model',
      taskId,
      delta: { messages: message === undefined ? [] : [message], values },
      next,
    });
    const asksAgain = yield* this.#asksAgain();
    const stop = stopAfter(outcome);
    return asksAgain && stop?.kind === 'completed' ? undefined : stop;
  }

  #isAnswered(): boolean {
    const { start } = this.#input;
    return start.kind === 'recover' && start.firstHooks.kind === 'answered';
  }

  /** What is done behind an answer. An agent that is asked again came to an end: its steps are counted anew. */
  async *#asksAgain(): AsyncGenerator<AgentEvent, boolean, void> {
    const { asksAgain } = yield* this.#hooks('afterModel');
    if (asksAgain) this.#taken = 0;
    return asksAgain;
  }

  /** The model's answer. A call that failed before it said anything is made once more if there is a remedy. */
  async *#answer(messageId: string): AsyncGenerator<AgentEvent, ModelAnswer, void> {
    const outcome = yield* this.#callModel(messageId, this.#state);
    if (outcome.kind !== 'failed' || outcome.partial !== undefined) return { outcome, values: {} };
    const values = yield* remedyFor(this.#parts.middleware, outcome.error, this.#context());
    if (this.#input.signal.aborted) return { outcome: { kind: 'aborted', partial: undefined }, values: {} };
    if (values === undefined) return { outcome, values: {} };
    const { state } = foldDelta(this.#state, { messages: [], values });
    return { outcome: yield* this.#callModel(messageId, state), values };
  }

  async *#callModel(messageId: string, state: ThreadState): ReturnType<typeof callModel> {
    const { caller, middleware, model, budget, now } = this.#parts;
    const breath = createBreath(LONG_CALL_MS);
    const request = shapedRequest(middleware, this.#modelRequest(state), state);
    await breath();
    return yield* callModel({
      caller,
      budget,
      tell: this.#input.tell,
      model: model.info,
      messageId,
      request,
      stream: composeModelCall(middleware, (request) => model.stream(request), this.#context()),
      now,
    });
  }

  #modelRequest({ messages }: ThreadState): ModelRequest {
    const { signal, options } = this.#input;
    return {
      system: this.#parts.systemPrompt(),
      messages,
      tools: this.#parts.tools,
      thinking: options.thinking && this.#parts.model.info.supportsThinking,
      signal,
    };
  }

  async *#toolStep(message: AiMessage, unfinished: UnfinishedStep | undefined): Step {
    const { start } = this.#input;
    const { middleware, toolCalls, newId } = this.#parts;
    const taskId = newId();
    yield { type: 'step_start', node: 'tools', step: this.#step, taskId };
    const { stop, ...change } = yield* toolStep({
      context: this.#context(),
      message,
      calls: openCalls(this.#state.messages),
      limits: toolCalls,
      tools: this.#tools,
      seesImages: this.#parts.model.info.supportsVision,
      namespace: this.#input.namespace,
      middleware,
      unfinished,
      answers: start.kind === 'input' ? NO_ANSWERS : start.answers,
      taskId,
      newId,
    });
    yield this.#advance({ node: 'tools', taskId, ...change });
    return stop;
  }

  #context(): HookContext {
    const { threadId, runId, userId, signal } = this.#input;
    return { threadId, runId, userId, signal, state: this.#state };
  }

  #hooks(name: HookName): AsyncGenerator<AgentEvent, HookWishes, void> {
    return this.#runHooks(name, hooksOf(this.#parts.middleware, name));
  }

  async *#runHooks(
    name: HookName,
    hooks: readonly NamedHook[],
  ): AsyncGenerator<AgentEvent, HookWishes, void> {
    for (const hook of hooks) {
      const effect = yield* effectOf(hook.run(this.#context()));
      if (effect === undefined) continue;
      yield* effect.events ?? [];
      const { delta = NO_CHANGE, stop, asksAgain = false } = effect;
      if (stop !== undefined) return { asksAgain, stop };
      if (isEmptyDelta(delta)) continue;
      const taskId = this.#parts.newId();
      yield { type: 'step_start', node: hook.node, step: this.#step, taskId };
      yield this.#advance({
        node: hook.node,
        taskId,
        delta,
        next: asksAgain ? ['model'] : nextAfterHook(name, openCalls(this.#state.messages)),
      });
      // The others look at the answer that comes.
      if (asksAgain) return { asksAgain, stop };
    }
    return NO_WISHES;
  }

  #advance(change: {
    readonly node: string;
    readonly taskId: string;
    readonly delta: StateDelta;
    readonly next: readonly string[];
    readonly tasks?: readonly PendingTask[];
  }): AgentEvent {
    this.#state = foldDelta(this.#state, change.delta).state;
    this.#step++;
    return { type: 'state', source: 'loop', tasks: [], ...change };
  }
}

function nextAfterHook(name: HookName, open: readonly ToolCall[]): readonly string[] {
  if (name === 'afterAgent') return [];
  if (name === 'afterModel') return open.length > 0 ? ['tools'] : [];
  return ['model'];
}

const NO_CHANGE: StateDelta = { messages: [], values: {} };
const NO_WISHES: HookWishes = { asksAgain: false, stop: undefined };
const NO_ANSWERS: Answers = new Map();

function selects(selection: NodeSelection, node: AgentNode): boolean {
  return selection === '*' || selection.includes(node);
}
