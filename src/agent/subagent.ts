// One task of a sub-agent: the same loop with separate state and limits, and events under its namespace.
import { namespacePath } from '../messages/agent-namespace.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import { humanMessage, type JsonObject, type Message, roleOf, textOf } from '../messages/message.ts';
import { EMPTY_STATE, foldDelta, type StateDelta, type ThreadState } from '../messages/thread-state.ts';
import { RunInterrupt } from '../tools/tool.ts';
import type { Agent, AgentInput, RunOptions } from './agent.ts';
import type {
  AgentEvent,
  AgentStop,
  CustomProgress,
  Emit,
  OwnEvent,
  PendingTask,
  StateChange,
  SubagentEnd,
  SubagentOutcome,
  SubagentReport,
  SubagentStart,
} from './agent-event.ts';
import type { DelegationContext, DelegationEvent } from './delegating-tool.ts';

export interface SubagentTask {
  readonly agent: Agent;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly options: RunOptions;
  readonly timeoutMs: number;
  readonly newId: () => string;
}

/** How the sub-agent ended, and how many tool calls it made. */
export type SubagentWork = SubagentOutcome & { readonly steps: number };

/**
 * Begins the task, or continues where an interrupted run left it. Emits the sub-agent's reports and, for
 * clients that show only progress, `task_started`, `task_running` and one of `task_completed`, `task_failed`,
 * `task_cancelled`, `task_timed_out` (docs/contract/streaming.md#sub-agents). Throws `RunInterrupt` when it
 * asks the person.
 */
export async function runSubagent(
  task: SubagentTask,
  context: DelegationContext,
  emit: Emit<DelegationEvent>,
): Promise<SubagentWork> {
  const { progress } = context;
  if (progress?.outcome !== undefined) return { ...progress.outcome, steps: callsIn(progress.state) };
  const run = new SubagentRun(task, context, emit);
  if (progress === undefined) await emit(run.begin());
  const outcome = run.outcome(await run.work());
  await emit(run.end(outcome));
  return { ...outcome, steps: run.steps };
}

class SubagentRun {
  readonly #task: SubagentTask;
  readonly #context: DelegationContext;
  readonly #emit: Emit<DelegationEvent>;
  /** Also aborts at the sub-agent's time limit. The run continues after that. */
  readonly #signal: AbortSignal;
  #state: ThreadState;
  #asked: readonly PendingTask[] = [];

  constructor(task: SubagentTask, context: DelegationContext, emit: Emit<DelegationEvent>) {
    this.#task = task;
    this.#context = context;
    this.#emit = emit;
    this.#signal = AbortSignal.any([context.signal, AbortSignal.timeout(task.timeoutMs)]);
    this.#state = context.progress?.state ?? EMPTY_STATE;
  }

  get steps(): number {
    return callsIn(this.#state);
  }

  begin(): SubagentStart {
    const { name, description, prompt, newId } = this.#task;
    const { callId, namespace } = this.#context;
    const delta: StateDelta = { messages: [humanMessage(newId(), prompt)], values: {} };
    const fold = foldDelta(this.#state, delta);
    this.#state = fold.state;
    const change = { source: 'input', node: null, taskId: newId(), delta, fold, next: ['model'] } as const;
    const input: StateChange = { type: 'state', ...change, tasks: [] };
    const progress = this.#progress('task_started', { description, subagent_type: name });
    return { type: 'subagent_start', namespace, name, callId, description, prompt, input, progress };
  }

  async work(): Promise<AgentStop> {
    const { progress } = this.#context;
    if (progress !== undefined && progress.next === undefined) return { kind: 'completed' };
    return this.#task.agent.run(this.#input(), (event) => this.#passOn(event));
  }

  /** Events of nested sub-agents already have their namespaces. */
  #passOn(event: AgentEvent): Promise<void> | undefined {
    switch (event.type) {
      case 'subagent_start':
      case 'subagent':
      case 'subagent_end':
        return this.#emit(event);
      case 'state':
        return this.#endStep(event);
      default:
        return this.#emit(this.#report(event));
    }
  }

  async #endStep(change: StateChange): Promise<void> {
    this.#state = change.fold.state;
    this.#asked = change.tasks;
    await this.#emit(this.#report(change));
    for (const progress of this.#messagesOf(change.delta)) await this.#emit(progress);
  }

  #input(): AgentInput {
    const { threadId, runId, userId, namespace, progress, subagents, answers } = this.#context;
    const unfinished = progress && { ...progress.begun, subagents };
    return {
      threadId,
      runId,
      userId,
      namespace,
      state: this.#state,
      step: progress?.step ?? 1,
      start:
        progress?.next === undefined || unfinished === undefined
          ? { kind: 'input' }
          : {
              kind: 'recover',
              firstHooks: { kind: 'after', node: progress.next },
              node: progress.next,
              answers,
              unfinished,
            },
      options: this.#task.options,
      signal: this.#signal,
    };
  }

  #report(event: OwnEvent): SubagentReport {
    return { type: 'subagent', namespace: this.#context.namespace, name: this.#task.name, event };
  }

  #messagesOf({ messages }: StateDelta): readonly CustomProgress[] {
    const all = this.#state.messages;
    return messages.flatMap((message) => {
      if (message.type === 'remove') return [];
      const index = all.findIndex(({ id }) => id === message.id);
      const place = { message_index: index, total_messages: all.length - 1 };
      return { type: 'custom', data: this.#progress('task_running', { message: shown(message), ...place }) };
    });
  }

  #progress(type: string, fields: JsonObject): JsonObject {
    return { type, task_id: this.#context.callId, ...fields };
  }

  outcome(stop: AgentStop): SubagentOutcome {
    const text = this.#reply();
    switch (stop.kind) {
      case 'completed':
        return text === '' ? failed('it ended without a reply.') : { status: 'completed', text };
      case 'awaiting_input':
        throw new RunInterrupt(
          this.#asked.flatMap(({ interrupts }) => interrupts).map((it) => this.#ask(it)),
        );
      case 'max_steps':
        return text === '' ? failed(stop.message) : { status: 'completed', text };
      case 'aborted':
        return this.#context.signal.aborted
          ? { status: 'cancelled', text: 'The run was cancelled.' }
          : {
              status: 'timed_out',
              text: `it did not finish within ${this.#task.timeoutMs / 1_000} seconds.`,
            };
      case 'loop_detected':
      case 'model_error':
      case 'rate_limited':
      case 'context_overflow':
      case 'budget_exhausted':
      case 'timeout':
        return failed(stop.message);
    }
  }

  /** Adds the namespace, unless a nested sub-agent has set its own. */
  #ask(interrupt: Interrupt): Interrupt {
    return { namespace: namespacePath(this.#context.namespace), ...interrupt };
  }

  /** Returns the text of the sub-agent's newest message, or an empty string. */
  #reply(): string {
    const last = this.#state.messages.findLast(({ type }) => type === 'ai');
    return last === undefined ? '' : textOf(last.content).trim();
  }

  end({ status, text }: SubagentOutcome): SubagentEnd {
    const { name } = this.#task;
    const { callId, namespace } = this.#context;
    const said = status === 'completed' ? { result: text } : { error: text };
    const progress = this.#progress(`task_${status}`, said);
    return { type: 'subagent_end', namespace, name, callId, status, text, progress };
  }
}

function callsIn({ messages }: ThreadState): number {
  return messages.reduce((sum, message) => sum + (message.type === 'ai' ? message.tool_calls.length : 0), 0);
}

function failed(text: string): SubagentOutcome {
  return { status: 'failed', text };
}

/** Returns the message in the dump shape, in which clients show messages. */
function shown(message: Message): JsonObject {
  return JSON.parse(JSON.stringify({ ...message, role: roleOf(message.type) }));
}
