// One run as events of Agent Protocol v2. No clock, no storage: the same log gives the same events every time.
import type { MessageDelta, ToolEnd } from '../../agent/agent-event.ts';
import type { Interrupt } from '../../messages/interrupt.ts';
import { type AiMessage, type Json, type JsonObject, type ToolCall, textOf } from '../../messages/message.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import { isEmptyDelta, serializedUpdate, serializedValues } from '../../messages/thread-state.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { LogEvent, StateWritten, StepStarted } from '../log-event.ts';
import type { ShownState } from '../stream-modes.ts';
import { isShownAgain } from './answered-interrupts.ts';
import type { ProtocolEvent } from './protocol-event.ts';
import { type MessageData, StreamedMessage } from './streamed-message.ts';

const ROOT: readonly string[] = [];

/** Is given the events of the log of one run from its first one on, in order. */
export class RunRenderer {
  readonly #run: Pick<RunRecord, 'assistantId'>;
  #message: StreamedMessage | undefined;
  #isRunning = false;
  #failure: string | undefined;
  /** The calls of the last answer, by their ids. */
  #calls: ReadonlyMap<string, ToolCall> = new Map();
  readonly #startedCalls = new Set<string>();

  constructor(run: Pick<RunRecord, 'assistantId'>) {
    this.#run = run;
  }

  /**
   * `shown` is what a `state` event stands for; absent when its thread was deleted. `answered` are the questions of an
   * earlier run that the run answers, with the first state that it shows.
   */
  render(
    event: LogEvent,
    shown: ShownState | undefined,
    answered: readonly string[] = [],
  ): readonly ProtocolEvent[] {
    const events = [...inputAnswered(answered), ...this.#render(event, shown)];
    if (this.#isRunning) return events;
    this.#isRunning = true;
    return [lifecycle({ event: 'running', graph_name: this.#run.assistantId }), ...events];
  }

  #render(event: LogEvent, shown: ShownState | undefined): readonly ProtocolEvent[] {
    switch (event.type) {
      case 'attempt':
      case 'message_end':
      case 'model_start':
      case 'output':
        return [];
      case 'step_start':
        return [taskEvent(event.node, startedTask(event))];
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
        return this.#delta(event);
      case 'message_restart':
        return this.#abandon('The answer broke off and is written again.', 'restarted');
      case 'tools_start':
        return event.callIds.flatMap((id) => this.#toolStarted(id));
      case 'tool_end':
        return this.#toolEnded(event);
      case 'custom':
        return [customEvent(event.data)];
      case 'state':
        return shown === undefined ? [] : this.#state(event, shown);
      case 'error':
        this.#failure = event.message;
        return [];
      case 'end':
        return [...this.#abandon('The run ended before the answer did.', 'aborted'), this.#ended(event)];
      default:
        return event satisfies never;
    }
  }

  #delta(delta: MessageDelta): readonly ProtocolEvent[] {
    const lost =
      this.#message?.id === delta.messageId ? [] : this.#abandon('The answer broke off.', 'aborted');
    this.#message ??= new StreamedMessage(delta.messageId);
    return [...lost, ...messageEvents(this.#message.add(delta))];
  }

  #abandon(message: string, code: 'restarted' | 'aborted'): readonly ProtocolEvent[] {
    const abandoned = this.#message?.abandon(message, code) ?? [];
    this.#message = undefined;
    return messageEvents(abandoned);
  }

  #toolStarted(id: string): readonly ProtocolEvent[] {
    if (this.#startedCalls.has(id)) return [];
    this.#startedCalls.add(id);
    const { name = 'tool', args = {} } = this.#calls.get(id) ?? {};
    return [toolEvent({ event: 'tool-started', tool_call_id: id, tool_name: name, input: args })];
  }

  #toolEnded({ message }: ToolEnd): readonly ProtocolEvent[] {
    const { tool_call_id: id } = message;
    const started = this.#toolStarted(id);
    if (message.status === 'error') {
      const failed = { event: 'tool-error', tool_call_id: id, message: textOf(message.content) };
      return [...started, toolEvent(failed)];
    }
    const output = (): string =>
      `{"event":"tool-finished","tool_call_id":${JSON.stringify(id)},"output":${serializedMessage(message).text}}`;
    return [...started, { ...toolEvent({}), data: output }];
  }

  #state(event: StateWritten, shown: ShownState): readonly ProtocolEvent[] {
    const events = event.node === null ? [] : this.#step(event.node, event, shown);
    const last = shown.state.messages.findLast((message): message is AiMessage => message.type === 'ai');
    this.#calls = new Map(last?.tool_calls.map((call) => [call.id, call]));
    // Clients pair a checkpoint with the values that come next.
    if (!isShownAgain(event)) events.push(rootEvent('checkpoints', () => JSON.stringify(checkpoint(event))));
    events.push(rootEvent('values', () => serializedValues(shown.state)));
    for (const interrupt of event.interrupts ?? []) events.push(inputRequested(interrupt));
    return events;
  }

  /** What a node did: the answer that was streamed is finished, one that was not is told whole. */
  #step(node: string, event: StateWritten, { delta }: ShownState): ProtocolEvent[] {
    const events: ProtocolEvent[] = [];
    for (const message of delta.messages) {
      if (message.type !== 'ai') continue;
      const streamed = this.#message?.id === message.id ? this.#message : new StreamedMessage(message.id);
      if (streamed === this.#message) this.#message = undefined;
      events.push(...messageEvents(streamed.finish(message)));
    }
    const update = (): string => serializedUpdate(delta);
    // A step that only asks has changed nothing.
    if (event.interrupts === undefined || !isEmptyDelta(delta)) {
      events.push(rootEvent('updates', () => `{"node":${JSON.stringify(node)},"values":${update()}}`, node));
    }
    return [...events, taskEvent(node, () => finishedTask(event, update()))];
  }

  #ended({ status }: Extract<LogEvent, { type: 'end' }>): ProtocolEvent {
    const graph_name = this.#run.assistantId;
    switch (status) {
      case 'success':
        return lifecycle({ event: 'completed', graph_name });
      case 'error':
      case 'timeout':
        return lifecycle({ event: 'failed', graph_name, error: this.#failure ?? 'The run failed.' });
      case 'interrupted':
      case 'pending':
      case 'running':
        return lifecycle({ event: 'interrupted', graph_name });
      default:
        return status satisfies never;
    }
  }
}

function rootEvent(
  channel: Exclude<ProtocolEvent['channel'], 'input'>,
  data: () => string,
  node?: string,
): ProtocolEvent {
  return { channel, method: channel, namespace: ROOT, data, ...(node === undefined ? {} : { node }) };
}

function lifecycle(data: JsonObject): ProtocolEvent {
  return rootEvent('lifecycle', () => JSON.stringify(data));
}

function messageEvents(list: readonly MessageData[]): readonly ProtocolEvent[] {
  return list.map((data) => rootEvent('messages', () => JSON.stringify(data), 'model'));
}

function toolEvent(data: JsonObject): ProtocolEvent {
  return rootEvent('tools', () => JSON.stringify(data), 'tools');
}

function taskEvent(node: string, data: () => string): ProtocolEvent {
  return rootEvent('tasks', data, node);
}

/** Progress that says what it is may be asked for by that name. */
function customEvent(payload: Json): ProtocolEvent {
  const name =
    typeof payload === 'object' && payload !== null && 'type' in payload ? payload.type : undefined;
  const named = typeof name === 'string' ? { name } : {};
  return { ...rootEvent('custom', () => JSON.stringify({ ...named, payload })), ...named };
}

function inputRequested({ id, value }: Interrupt): ProtocolEvent {
  const data = (): string => JSON.stringify({ interrupt_id: id, payload: value });
  return { channel: 'input', method: 'input.requested', namespace: ROOT, data };
}

function inputAnswered(ids: readonly string[]): readonly ProtocolEvent[] {
  if (ids.length === 0) return [];
  const data = (): string => JSON.stringify({ interrupt_ids: ids });
  return [{ channel: 'input', method: 'input.answered', namespace: ROOT, data }];
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
