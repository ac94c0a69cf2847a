// The loop: model, tools, model ... until the model stops, a limit is reached or the signal aborts.
import type { AiMessage, ToolCall } from '../messages/message.ts';
import { openCalls } from '../messages/open-calls.ts';
import { foldDelta, isEmptyDelta, NO_CHANGE, type ThreadState } from '../messages/thread-state.ts';
import type { Agent, AgentInput, AgentNode, Answers, NodeSelection, UnfinishedStep } from './agent.ts';
import type { AgentStop, Emit, StateChange } from './agent-event.ts';
import type { ModelOutcome } from './call-model.ts';
import type { AgentTool } from './delegating-tool.ts';
import type { ToolCallLimits } from './execute-tools.ts';
import { type HookContext, type HookName, hooksOf, type NamedHook } from './middleware.ts';
import { type ModelParts, modelStep } from './model-step.ts';
import { type ToolStepInput, toolStep } from './tool-step.ts';

export interface AgentParts extends ModelParts {
  readonly tools: readonly AgentTool[];
  readonly toolCalls: ToolCallLimits;
  readonly newId: () => string;
}

export function createAgent(parts: AgentParts): Agent {
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]));
  return { run: (input, emit) => new AgentRun(parts, tools, { input, emit }).run() };
}

/** Resolves with `undefined` when the run continues after the step. */
type Step = Promise<AgentStop | undefined>;

interface HookWishes {
  readonly asksAgain: boolean;
  /** The first stop that a hook requests. Hooks after it do not run. */
  readonly stop: AgentStop | undefined;
}

class AgentRun {
  readonly #parts: AgentParts;
  readonly #tools: ReadonlyMap<string, AgentTool>;
  readonly #input: AgentInput;
  readonly #emit: Emit;
  #state: ThreadState;
  #step: number;
  /** Steps since the run began, or since the model was last asked again after a reply. */
  #taken = 0;

  constructor(
    parts: AgentParts,
    tools: ReadonlyMap<string, AgentTool>,
    { input, emit }: { readonly input: AgentInput; readonly emit: Emit },
  ) {
    this.#parts = parts;
    this.#tools = tools;
    this.#input = input;
    this.#emit = emit;
    this.#state = input.state;
    this.#step = input.step;
  }

  async run(): Promise<AgentStop> {
    await this.#runHooks('beforeAgent', this.#firstHooks());
    const { start } = this.#input;
    const isAnswered = start.kind === 'recover' && start.firstHooks.kind === 'answered';
    const isOver = isAnswered && !(await this.#afterModel());
    const stop = isOver ? this.#endOfReply() : await this.#steps();
    if (stop.kind !== 'awaiting_input') await this.#hooks('afterAgent');
    return stop;
  }

  #endOfReply(): AgentStop {
    const reply = this.#lastReply();
    return (reply && stopAfterReply(reply)) ?? { kind: 'completed' };
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

  async #steps(): Promise<AgentStop> {
    const { options } = this.#input;
    let { node, unfinished } = beginningOf(this.#input.start);
    for (let isFirst = true; this.#taken < options.recursionLimit; isFirst = false) {
      const held = this.#heldBefore(node, isFirst);
      if (held !== undefined) return held;
      this.#taken++;
      const stop = await this.#take(node, unfinished);
      if (stop !== undefined) return stop;
      if (selects(options.interruptAfter, node)) return { kind: 'awaiting_input' };
      unfinished = undefined;
      node = openCalls(this.#state.messages).length > 0 ? 'tools' : 'model';
    }
    return {
      kind: 'max_steps',
      message: `The run was stopped after ${options.recursionLimit} steps without finishing. Send another message to continue, or raise recursion_limit.`,
    };
  }

  /** Returns why the node must not be entered. A node at which a run was asked to resume always is. */
  #heldBefore(node: AgentNode, isFirst: boolean): AgentStop | undefined {
    const { start, options, signal } = this.#input;
    if (signal.aborted) return { kind: 'aborted' };
    const isResumedHere = isFirst && start.kind === 'continue';
    return !isResumedHere && selects(options.interruptBefore, node) ? { kind: 'awaiting_input' } : undefined;
  }

  #take(node: AgentNode, unfinished: UnfinishedStep | undefined): Step {
    const reply = this.#lastReply();
    const isTools = node === 'tools' && reply !== undefined && openCalls(this.#state.messages).length > 0;
    return isTools ? this.#toolStep(reply, unfinished) : this.#modelStep(unfinished);
  }

  /** Returns the newest message of the agent, if only results of its calls came after it. */
  #lastReply(): AiMessage | undefined {
    const last = this.#state.messages.findLast(({ type }) => type !== 'tool');
    return last?.type === 'ai' ? last : undefined;
  }

  async #modelStep(unfinished: UnfinishedStep | undefined): Step {
    const before = await this.#hooks('beforeModel');
    if (before.stop !== undefined) return before.stop;
    const taskId = await this.#startStep('model');
    const step = {
      parts: this.#parts,
      context: this.#context(),
      messageId: unfinished?.messageId ?? this.#parts.newId(),
      thinking: this.#input.options.thinking,
    };
    const { outcome, values } = await modelStep(step, this.#emit);
    const message = outcome.kind === 'answered' ? outcome.message : outcome.partial;
    const next = message !== undefined && message.tool_calls.length > 0 ? ['tools'] : [];
    const delta = { messages: message === undefined ? [] : [message], values };
    await this.#endStep({ node: 'model', taskId, delta, next });
    const asksAgain = await this.#afterModel();
    const stop = stopAfter(outcome);
    return asksAgain && stop?.kind === 'completed' ? undefined : stop;
  }

  /** Returns whether to ask the model again. If so, the agent had finished, and its steps start from zero. */
  async #afterModel(): Promise<boolean> {
    const { asksAgain } = await this.#hooks('afterModel');
    if (asksAgain) this.#taken = 0;
    return asksAgain;
  }

  async #toolStep(message: AiMessage, unfinished: UnfinishedStep | undefined): Step {
    const { middleware, toolCalls, newId } = this.#parts;
    const taskId = await this.#startStep('tools');
    const step: ToolStepInput = {
      context: this.#context(),
      message,
      calls: openCalls(this.#state.messages),
      limits: toolCalls,
      tools: this.#tools,
      seesImages: this.#parts.model.info.supportsVision,
      namespace: this.#input.namespace,
      middleware,
      unfinished,
      answers: beginningOf(this.#input.start).answers,
      taskId,
      newId,
    };
    const { stop, ...change } = await toolStep(step, this.#emit);
    await this.#endStep({ node: 'tools', taskId, ...change });
    return stop;
  }

  #context(): HookContext {
    const { threadId, runId, userId, signal } = this.#input;
    return { threadId, runId, userId, signal, state: this.#state };
  }

  #hooks(name: HookName): Promise<HookWishes> {
    return this.#runHooks(name, hooksOf(this.#parts.middleware, name));
  }

  async #runHooks(name: HookName, hooks: readonly NamedHook[]): Promise<HookWishes> {
    for (const hook of hooks) {
      const effect = await hook.run(this.#context(), this.#emit);
      if (effect === undefined) continue;
      const { delta = NO_CHANGE, stop, asksAgain = false } = effect;
      if (stop !== undefined) return { asksAgain, stop };
      if (isEmptyDelta(delta)) continue;
      const taskId = await this.#startStep(hook.node);
      const next = asksAgain ? ['model'] : nextAfterHook(name, openCalls(this.#state.messages));
      await this.#endStep({ node: hook.node, taskId, delta, next });
      // The remaining hooks see the next reply instead.
      if (asksAgain) return { asksAgain, stop };
    }
    return NO_WISHES;
  }

  async #startStep(node: string): Promise<string> {
    const taskId = this.#parts.newId();
    await this.#emit({ type: 'step_start', node, step: this.#step, taskId });
    return taskId;
  }

  async #endStep(
    change: Pick<StateChange, 'node' | 'taskId' | 'delta' | 'next'> & Partial<Pick<StateChange, 'tasks'>>,
  ): Promise<void> {
    const fold = foldDelta(this.#state, change.delta);
    this.#state = fold.state;
    this.#step++;
    await this.#emit({ type: 'state', source: 'loop', tasks: [], ...change, fold });
  }
}

interface Beginning {
  readonly node: AgentNode;
  readonly answers: Answers;
  readonly unfinished: UnfinishedStep | undefined;
}

/** Returns the first node of the run, and what an earlier run or attempt left for it. */
function beginningOf(start: AgentInput['start']): Beginning {
  return start.kind === 'input' ? { node: 'model', answers: NO_ANSWERS, unfinished: undefined } : start;
}

function nextAfterHook(name: HookName, open: readonly ToolCall[]): readonly string[] {
  if (name === 'afterAgent') return [];
  if (name === 'afterModel') return open.length > 0 ? ['tools'] : [];
  return ['model'];
}

const NO_WISHES: HookWishes = { asksAgain: false, stop: undefined };
const NO_ANSWERS: Answers = new Map();

function selects(selection: NodeSelection, node: AgentNode): boolean {
  return selection === '*' || selection.includes(node);
}

/** Returns `undefined` when the calls of the message come next. */
function stopAfter(outcome: ModelOutcome): AgentStop | undefined {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'failed': {
      const kind = outcome.error.kind === 'broken_stream' ? 'model_error' : outcome.error.kind;
      return { kind, message: outcome.error.message };
    }
    case 'refused':
      return { kind: 'budget_exhausted', budget: outcome.budget, message: outcome.message };
    case 'answered':
      return stopAfterReply(outcome.message);
  }
}

/** As `stopAfter`, for a message that is already in the state. */
function stopAfterReply({ tool_calls, response_metadata }: AiMessage): AgentStop | undefined {
  if (tool_calls.length > 0) return undefined;
  if (response_metadata.finish_reason !== 'content_filter') return { kind: 'completed' };
  const message = `The provider of model '${response_metadata.model_name}' held its answer back (content filter). Put it another way, or choose another model.`;
  return { kind: 'model_error', message };
}
