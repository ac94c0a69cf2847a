// One task of a sub-agent: the same loop with its own state and limits, its events told under its namespace.
import { namespacePath } from '../messages/agent-namespace.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import { humanMessage, type JsonObject, type Message, roleOf, textOf } from '../messages/message.ts';
import { EMPTY_STATE, foldDelta, type StateDelta, type ThreadState } from '../messages/thread-state.ts';
import { RunInterrupt } from '../tools/tool.ts';
import type { Agent, AgentInput, RunOptions } from './agent.ts';
import type {
  AgentStop,
  CustomProgress,
  OwnEvent,
  PendingTask,
  StateChange,
  SubagentEnd,
  SubagentOutcome,
  SubagentReport,
  SubagentStart,
} from './agent-event.ts';
import type { DelegationContext } from './delegating-tool.ts';

export interface SubagentTask {
  readonly agent: Agent;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly limit: { readonly options: RunOptions; readonly timeoutMs: number };
  readonly newId: () => string;
}

/** How it ended, and how often it called tools. */
export type SubagentWork = SubagentOutcome & { readonly steps: number };

type Told = SubagentStart | SubagentReport | SubagentEnd | CustomProgress;

/**
 * Begins the task, or goes on where an interrupted run left it. Yields what the sub-agent reports and, for clients
 * that show progress only, `task_started`, `task_running` and one of `task_completed`, `task_failed`,
 * `task_cancelled`, `task_timed_out` (decisions, section 4). Throws `RunInterrupt` when it asks the person.
 */
export async function* runSubagent(
  task: SubagentTask,
  context: DelegationContext,
): AsyncGenerator<Told, SubagentWork, void> {
  const { progress } = context;
  if (progress?.outcome !== undefined) return { ...progress.outcome, steps: callsIn(progress.state) };
  const run = new SubagentRun(task, context);
  if (progress === undefined) yield run.begin();
  const stop = yield* run.work();
  const outcome = run.outcome(stop);
  yield run.end(outcome);
  return { ...outcome, steps: run.steps };
}

class SubagentRun {
  readonly #task: SubagentTask;
  readonly #context: DelegationContext;
  /** The limit of time is the sub-agent's own; the run goes on when it is reached. */
  readonly #signal: AbortSignal;
  #state: ThreadState;
  #asked: readonly PendingTask[] = [];

  constructor(task: SubagentTask, context: DelegationContext) {
    this.#task = task;
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, AbortSignal.timeout(task.limit.timeoutMs)]);
    this.#state = context.progress?.state ?? EMPTY_STATE;
  }

  get steps(): number {
    return callsIn(this.#state);
  }

  begin(): SubagentStart {
    const { name, description, prompt, newId } = this.#task;
    const { callId, namespace } = this.#context;
    const delta: StateDelta = { messages: [humanMessage(newId(), prompt)], values: {} };
    const input = this.#fold(inputOf(delta, newId()));
    const progress = this.#progress('task_started', { description, subagent_type: name });
    return { type: 'subagent_start', namespace, name, callId, description, prompt, input, progress };
  }

  async *work(): AsyncGenerator<Told, AgentStop, void> {
    const { progress } = this.#context;
    if (progress !== undefined && progress.next === undefined) return { kind: 'completed' };
    for await (const event of this.#task.agent.run(this.#input())) {
      switch (event.type) {
        case 'finish':
          return event.stop;
        case 'subagent_start':
        case 'subagent':
        case 'subagent_end':
          yield event;
          break;
        case 'state':
          yield this.#report(this.#fold(event));
          yield* this.#messagesOf(event.delta);
          break;
        default:
          yield this.#report(event);
      }
    }
    return { kind: 'aborted' };
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
      options: this.#task.limit.options,
      signal: this.#signal,
    };
  }

  #fold(change: StateChange): StateChange {
    this.#state = foldDelta(this.#state, change.delta).state;
    this.#asked = change.tasks;
    return change;
  }

  #report(event: OwnEvent): SubagentReport {
    return { type: 'subagent', namespace: this.#context.namespace, name: this.#task.name, event };
  }

  *#messagesOf({ messages }: StateDelta): Generator<CustomProgress, void, void> {
    const all = this.#state.messages;
    for (const message of messages) {
      if (message.type === 'remove') continue;
      const index = all.findIndex(({ id }) => id === message.id);
      const place = { message_index: index, total_messages: all.length - 1 };
      yield { type: 'custom', data: this.#progress('task_running', { message: shown(message), ...place }) };
    }
  }

  #progress(type: string, fields: JsonObject): JsonObject {
    return { type, task_id: this.#context.callId, ...fields };
  }

  outcome(stop: AgentStop): SubagentOutcome {
    const text = this.#answer();
    switch (stop.kind) {
      case 'completed':
        return text === '' ? failed('it ended without an answer.') : { status: 'completed', text };
      case 'awaiting_input':
        throw new RunInterrupt(
          this.#asked.flatMap(({ interrupts }) => interrupts).map((it) => this.#ask(it)),
        );
      case 'max_steps':
        return text === '' ? failed(stop.message) : { status: 'completed', text };
      case 'aborted':
        return this.#context.signal.aborted
          ? { status: 'cancelled', text: 'The run was cancelled.' }
          : { status: 'timed_out', text: timeoutText(this.#task.limit.timeoutMs) };
      case 'loop_detected':
      case 'model_error':
      case 'rate_limited':
      case 'context_overflow':
      case 'budget_exhausted':
      case 'timeout':
        return failed(stop.message);
      default:
        return stop satisfies never;
    }
  }

  /** A sub-agent inside this one has said already that it asks. */
  #ask(interrupt: Interrupt): Interrupt {
    return { namespace: namespacePath(this.#context.namespace), ...interrupt };
  }

  /** What it said last, if that was to whoever gave it the task. */
  #answer(): string {
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

function inputOf(delta: StateDelta, taskId: string): StateChange {
  return { type: 'state', source: 'input', node: null, taskId, delta, next: ['model'], tasks: [] };
}

function callsIn({ messages }: ThreadState): number {
  return messages.reduce((sum, message) => sum + (message.type === 'ai' ? message.tool_calls.length : 0), 0);
}

function failed(text: string): SubagentOutcome {
  return { status: 'failed', text };
}

function timeoutText(timeoutMs: number): string {
  return `it did not finish within ${timeoutMs / 1_000} seconds.`;
}

/** In the dump shape, as clients show messages. */
function shown(message: Message): JsonObject {
  return JSON.parse(JSON.stringify({ ...message, role: roleOf(message.type) }));
}
