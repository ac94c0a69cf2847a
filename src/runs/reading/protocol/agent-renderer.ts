// Renders the events of one agent of a run as events of Agent Protocol v2 in its namespace.
import type { MessageDelta, ToolEnd } from '../../../agent/agent-event.ts';
import type { Interrupt } from '../../../messages/interrupt.ts';
import {
  type AiMessage,
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolCall,
  textOf,
} from '../../../messages/message.ts';
import { serializedMessage } from '../../../messages/serialized-message.ts';
import { isEmptyDelta, serializedUpdate, serializedValues } from '../../../messages/thread-state.ts';
import type { RunRecord } from '../../../storage/runs.ts';
import type { Repositories } from '../../../storage/storage.ts';
import type { AgentLogEvent, LoggedEvent, StateWritten, StepStarted } from '../../log/log-event.ts';
import { fromKwargs } from '../../request/run-request.ts';
import { answersOf, pendingTasks } from '../../request/starting-point.ts';
import type { ShownState } from '../../request/stream-modes.ts';
import type { ProtocolEvent } from './protocol-event.ts';
import { type MessageData, StreamedMessage } from './streamed-message.ts';

/** Must be given the events of one agent from its first one on, in order. */
export class AgentRenderer {
  readonly #namespace: readonly string[];
  #message: StreamedMessage | undefined;
  #calls: ReadonlyMap<string, ToolCall> = new Map();
  readonly #startedCalls = new Set<string>();

  constructor(namespace: readonly string[]) {
    this.#namespace = namespace;
  }

  /** `shown` is the state of a `state` event; absent when its thread was deleted. */
  render(event: AgentLogEvent, shown: ShownState | undefined): readonly ProtocolEvent[] {
    switch (event.type) {
      case 'message_end':
      case 'model_start':
        return [];
      case 'step_start':
        return [this.#taskEvent(event.node, startedTask(event))];
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
        return this.#delta(event);
      case 'message_restart':
        return this.abandon('The answer broke off and is written again.', 'restarted');
      case 'tools_start':
        return event.callIds.flatMap((id) => this.#toolStarted(id));
      case 'tool_end':
        return this.#toolEnded(event);
      case 'custom':
        return [this.#customEvent(event.data)];
      case 'state':
        return shown === undefined ? [] : this.#state(event, shown);
    }
  }

  /** Ends the message that is being streamed before it is complete. */
  abandon(message: string, code: 'restarted' | 'aborted'): readonly ProtocolEvent[] {
    const abandoned = this.#message?.abandon(message, code) ?? [];
    this.#message = undefined;
    return this.#messageEvents(abandoned);
  }

  #delta(delta: MessageDelta): readonly ProtocolEvent[] {
    const lost =
      this.#message?.id === delta.messageId ? [] : this.abandon('The reply was cut off.', 'aborted');
    this.#message ??= new StreamedMessage(delta.messageId);
    return [...lost, ...this.#messageEvents(this.#message.add(delta))];
  }

  #toolStarted(id: string): readonly ProtocolEvent[] {
    if (this.#startedCalls.has(id)) return [];
    this.#startedCalls.add(id);
    const { name = 'tool', args = {} } = this.#calls.get(id) ?? {};
    return [this.#toolEvent({ event: 'tool-started', tool_call_id: id, tool_name: name, input: args })];
  }

  #toolEnded({ message }: ToolEnd): readonly ProtocolEvent[] {
    const { tool_call_id: id } = message;
    const started = this.#toolStarted(id);
    if (message.status === 'error') {
      const failed = { event: 'tool-error', tool_call_id: id, message: textOf(message.content) };
      return [...started, this.#toolEvent(failed)];
    }
    const output = (): string =>
      `{"event":"tool-finished","tool_call_id":${JSON.stringify(id)},"output":${serializedMessage(message).text}}`;
    return [...started, { ...this.#toolEvent({}), data: output }];
  }

  #state(event: StateWritten, shown: ShownState): readonly ProtocolEvent[] {
    const events = event.node === null ? [] : this.#step(event.node, event, shown);
    const last = shown.state.messages.findLast((message): message is AiMessage => message.type === 'ai');
    this.#calls = new Map(last?.tool_calls.map((call) => [call.id, call]));
    // Clients pair a checkpoint with the values that follow it.
    if (!isShownAgain(event))
      events.push(this.#event('checkpoints', () => JSON.stringify(checkpoint(event))));
    events.push(this.#event('values', () => serializedValues(shown.state)));
    for (const interrupt of event.interrupts ?? []) events.push(this.#inputRequested(interrupt));
    return events;
  }

  /** Renders what a node did: finishes the streamed reply, or sends one whole that was not streamed. */
  #step(node: string, event: StateWritten, { delta }: ShownState): ProtocolEvent[] {
    const events: ProtocolEvent[] = [];
    for (const message of delta.messages) {
      if (message.type !== 'ai') continue;
      const streamed = this.#message?.id === message.id ? this.#message : new StreamedMessage(message.id);
      if (streamed === this.#message) this.#message = undefined;
      events.push(...this.#messageEvents(streamed.finish(message)));
    }
    const update = (): string => serializedUpdate(delta);
    // A step that only asks changes nothing.
    if (event.interrupts === undefined || !isEmptyDelta(delta)) {
      events.push(
        this.#event('updates', () => `{"node":${JSON.stringify(node)},"values":${update()}}`, node),
      );
    }
    return [...events, this.#taskEvent(node, () => finishedTask(event, update()))];
  }

  #event(
    channel: Exclude<ProtocolEvent['channel'], 'input'>,
    data: () => string,
    node?: string,
  ): ProtocolEvent {
    const at = node === undefined ? {} : { node };
    return { channel, method: channel, namespace: this.#namespace, data, ...at };
  }

  #messageEvents(list: readonly MessageData[]): readonly ProtocolEvent[] {
    return list.map((data) => this.#event('messages', () => JSON.stringify(data), 'model'));
  }

  #toolEvent(data: JsonObject): ProtocolEvent {
    return this.#event('tools', () => JSON.stringify(data), 'tools');
  }

  #taskEvent(node: string, data: () => string): ProtocolEvent {
    return this.#event('tasks', data, node);
  }

  /** Clients may request progress by its `type`. */
  #customEvent(payload: Json): ProtocolEvent {
    const name = isJsonObject(payload) ? payload.type : undefined;
    const named = typeof name === 'string' ? { name } : {};
    return { ...this.#event('custom', () => JSON.stringify({ ...named, payload })), ...named };
  }

  #inputRequested({ id, value }: Interrupt): ProtocolEvent {
    const data = (): string => JSON.stringify({ interrupt_id: id, payload: value });
    return { channel: 'input', method: 'input.requested', namespace: this.#namespace, data };
  }
}

function startedTask({ taskId, node }: StepStarted): () => string {
  const task = { id: taskId, name: node, input: {}, triggers: [`branch:to:${node}`], interrupts: [] };
  return () => JSON.stringify(task);
}

function finishedTask({ taskId, node, interrupts = [] }: StateWritten, result: string): string {
  return `{"id":"${taskId}","name":${JSON.stringify(node)},"result":${result},"interrupts":${JSON.stringify(interrupts)}}`;
}

function checkpoint({ checkpointId, parentId, step, source }: StateWritten): JsonObject {
  return { id: checkpointId, ...(parentId === null ? {} : { parent_id: parentId }), step, source };
}

/** The step of the first checkpoint of a thread. */
const FIRST_STEP = -1;

/** True when the state is that of an earlier run, shown again because this run continues from it. */
function isShownAgain({ source, parentId, step }: StateWritten): boolean {
  return source === 'input' && parentId === null && step > FIRST_STEP;
}

/** Returns the interrupts that the run answers, if any, given the first state that it shows. */
export async function answeredInterrupts(
  { checkpoints }: Repositories,
  run: RunRecord,
  { event }: LoggedEvent,
): Promise<readonly string[]> {
  const { command, answers: intended } = fromKwargs(run.kwargs);
  if (command?.resume === undefined || event.type !== 'state') return [];
  const baseId = isShownAgain(event) ? event.checkpointId : event.parentId;
  const base = baseId === null ? undefined : await checkpoints.get(run.threadId, baseId);
  if (base === undefined) return [];
  const answers = answersOf(base, command);
  const asked = pendingTasks(base.tasks).flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  // An answer that names no question is only for those of the checkpoint that it was given to.
  const isLate = intended !== undefined && intended !== baseId;
  const { value } = command.resume;
  return asked.filter((id) => answers.has(id) && !(isLate && answers.get(id) === value));
}
