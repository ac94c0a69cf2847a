// The loop: model, tools, model ... until the model stops, a limit is reached or the signal aborts.
import type { AiMessage, Message, ToolCall } from '../messages/message.ts';
import { foldDelta, isEmptyDelta, type StateDelta, type ThreadState } from '../messages/thread-state.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent, AgentInput } from './agent.ts';
import type { AgentEvent, AgentStop, ToolEnd } from './agent-event.ts';
import { callModel, type ModelOutcome } from './call-model.ts';
import { executeTools } from './execute-tools.ts';
import { composeModelCall, composeToolCall, type HookName, hooksOf, type Middleware } from './middleware.ts';

export interface AgentParts {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly middleware: readonly Middleware[];
  readonly systemPrompt: () => string;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Makes an agent of a model, tools and middleware. */
export function createAgent(parts: AgentParts): Agent {
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]));
  return { run: (input) => new AgentRun(parts, tools, input).events() };
}

type Step = AsyncGenerator<AgentEvent, AgentStop | undefined, void>;

/** One run of the agent: the state that its steps fold up, and the number of the next step. */
class AgentRun {
  readonly #parts: AgentParts;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #input: AgentInput;
  #state: ThreadState;
  #step: number;

  constructor(parts: AgentParts, tools: ReadonlyMap<string, Tool>, input: AgentInput) {
    this.#parts = parts;
    this.#tools = tools;
    this.#input = input;
    this.#state = input.state;
    this.#step = input.step;
  }

  async *events(): AsyncGenerator<AgentEvent, void, void> {
    if (this.#input.unfinished === undefined) yield* this.#hooks('beforeAgent');
    const stop = yield* this.#steps();
    yield* this.#hooks('afterAgent');
    yield { type: 'finish', stop };
  }

  async *#steps(): AsyncGenerator<AgentEvent, AgentStop, void> {
    const { recursionLimit } = this.#input.options;
    let unfinished = this.#input.unfinished;
    for (let taken = 0; taken < recursionLimit; taken++) {
      if (this.#input.signal.aborted) return { kind: 'aborted' };
      const calls = taken === 0 && unfinished === undefined ? [] : this.#openCalls();
      const stop =
        calls.length > 0 ? yield* this.#toolStep(calls, unfinished) : yield* this.#modelStep(unfinished);
      unfinished = undefined;
      if (stop !== undefined) return stop;
    }
    return {
      kind: 'max_steps',
      message: `The run was stopped after ${recursionLimit} steps without coming to an end. Send another message to go on, or raise recursion_limit.`,
    };
  }

  /** Tool calls of the last answer. A new run leaves those of an older one alone; its prompt repairs them. */
  #openCalls(): readonly ToolCall[] {
    const last = this.#state.messages.at(-1);
    return last?.type === 'ai' ? last.tool_calls : [];
  }

  async *#modelStep(unfinished: AgentInput['unfinished']): Step {
    yield* this.#hooks('beforeModel');
    const taskId = this.#parts.newId();
    yield { type: 'step_start', node: 'model', step: this.#step, taskId };
    const outcome = yield* callModel({
      caller: 'lead_agent',
      modelName: this.#parts.model.info.name,
      messageId: unfinished?.messageId ?? this.#parts.newId(),
      request: this.#modelRequest(),
      stream: composeModelCall(this.#parts.middleware, (request) => this.#parts.model.stream(request)),
      now: this.#parts.now,
    });
    const message = outcome.kind === 'answered' ? outcome.message : outcome.partial;
    const next = message !== undefined && message.tool_calls.length > 0 ? ['tools'] : [];
    yield this.#advance({ node: 'model', taskId, delta: messagesDelta(message), next });
    yield* this.#hooks('afterModel');
    return stopAfter(outcome);
  }

  #modelRequest(): ModelRequest {
    const { signal, options } = this.#input;
    return {
      system: this.#parts.systemPrompt(),
      messages: this.#state.messages,
      tools: this.#parts.tools,
      thinking: options.thinking && this.#parts.model.info.supportsThinking,
      signal,
    };
  }

  async *#toolStep(calls: readonly ToolCall[], unfinished: AgentInput['unfinished']): Step {
    const { userId, threadId, runId, signal } = this.#input;
    const taskId = this.#parts.newId();
    yield { type: 'step_start', node: 'tools', step: this.#step, taskId };
    const ends = yield* executeTools({
      userId,
      threadId,
      runId,
      calls,
      tools: this.#tools,
      wrap: (call, run) => composeToolCall(this.#parts.middleware, run)(call),
      unfinished,
      signal,
      newId: this.#parts.newId,
    });
    const stop = stopAfterTools(ends, signal);
    yield this.#advance({
      node: 'tools',
      taskId,
      delta: toolsDelta(ends),
      next: stop === undefined ? ['model'] : [],
    });
    return stop;
  }

  async *#hooks(name: HookName): AsyncGenerator<AgentEvent, void, void> {
    for (const hook of hooksOf(this.#parts.middleware, name)) {
      const { threadId, runId, userId, signal } = this.#input;
      const effect = await hook.run({ threadId, runId, userId, signal, state: this.#state });
      if (effect === undefined) continue;
      yield* effect.events ?? [];
      const { delta } = effect;
      if (delta === undefined || isEmptyDelta(delta)) continue;
      const taskId = this.#parts.newId();
      yield { type: 'step_start', node: hook.node, step: this.#step, taskId };
      yield this.#advance({
        node: hook.node,
        taskId,
        delta,
        next: nextAfterHook(name, this.#openCalls()),
      });
    }
  }

  #advance(change: {
    readonly node: string;
    readonly taskId: string;
    readonly delta: StateDelta;
    readonly next: readonly string[];
  }): AgentEvent {
    this.#state = foldDelta(this.#state, change.delta).state;
    this.#step++;
    return { type: 'state', source: 'loop', ...change };
  }
}

function nextAfterHook(name: HookName, openCalls: readonly ToolCall[]): readonly string[] {
  if (name === 'afterAgent') return [];
  if (name === 'afterModel') return openCalls.length > 0 ? ['tools'] : [];
  return ['model'];
}

function messagesDelta(message: AiMessage | undefined): StateDelta {
  return { messages: message === undefined ? [] : [message], values: {} };
}

function toolsDelta(ends: readonly ToolEnd[]): StateDelta {
  const messages: readonly Message[] = ends.map((end) => end.message);
  return { messages, values: Object.assign({}, ...ends.map((end) => end.values)) };
}

function stopAfter(outcome: ModelOutcome): AgentStop | undefined {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'failed': {
      const kind = outcome.error.kind === 'broken_stream' ? 'model_error' : outcome.error.kind;
      return { kind, message: outcome.error.message };
    }
    case 'answered':
      return outcome.message.tool_calls.length > 0 ? undefined : { kind: 'completed' };
    default:
      return outcome satisfies never;
  }
}

function stopAfterTools(ends: readonly ToolEnd[], signal: AbortSignal): AgentStop | undefined {
  if (signal.aborted) return { kind: 'aborted' };
  return ends.some((end) => end.awaitsInput) ? { kind: 'awaiting_input' } : undefined;
}
