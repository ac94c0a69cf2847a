// Which run events an agent event becomes (docs/contract/record.md#events).
import type {
  AgentEvent,
  MiddlewareTrace,
  ModelCallEnd,
  ModelCallFailed,
  ModelCallStart,
  ModelCallSwitched,
  StateChange,
  SubagentReport,
  ToolEnd,
} from '../../agent/agent-event.ts';
import type { CallUsage } from '../../agent/call-usage.ts';
import { LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import { chatCompletion } from '../../messages/chat-completion.ts';
import { type Json, type JsonObject, type Message, textOf } from '../../messages/message.ts';
import { shownMoney } from '../../messages/money.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import type { NewRunEvent } from '../../storage/run-events.ts';
import {
  type RunEventMetadata,
  type RunEventType,
  runEvent,
  type UntimedEvent,
} from './run-event-catalogue.ts';
import { cutTrace, promptTrace } from './trace-content.ts';

const MAX_ARGUMENT_CHARACTERS = 2_000;

export interface Journal {
  record(event: AgentEvent): readonly NewRunEvent[];
}

interface JournalParts {
  readonly traceLimitBytes: number;
  /** Model calls that earlier attempts of the run made: their indexes are taken. */
  readonly modelCallsBefore: number;
  readonly now: () => number;
}

/** Pure but for the indexes that pair a model request with its response. */
export function createJournal(parts: JournalParts): Journal {
  const traces = new Traces(parts);
  return {
    record(event) {
      switch (event.type) {
        case 'model_call_start':
        case 'model_call_end':
        case 'model_call_failed':
          return [traces.modelCall(event, LEAD_NAMESPACE)];
        case 'model_call_switched':
          return [switchedModel(traces, event)];
        case 'subagent':
          return subagentStep(traces, event);
        case 'subagent_start': {
          const { namespace, name: subagent, callId: task_id, description, prompt } = event;
          return [traces.trace('subagent_start', prompt, { namespace, subagent, task_id, description })];
        }
        case 'subagent_end': {
          const { namespace, name: subagent, callId: task_id, status, text } = event;
          return [traces.trace('subagent_end', text, { namespace, subagent, task_id, status })];
        }
        case 'tools_start':
          return event.calls.map(({ call }) =>
            traces.trace('tool_start', '', {
              tool_name: call.name,
              tool_call_id: call.id,
              args: JSON.stringify(call.args).slice(0, MAX_ARGUMENT_CHARACTERS),
            }),
          );
        case 'tool_end':
          return [
            ...outcomeUnknown(event, traces),
            toolEndTrace(event, traces),
            traces.made(toolResult(event)),
          ];
        case 'state':
          return answersOf(event).map((it) => traces.made(it));
        case 'middleware':
          return [traces.made(middlewareTrace(event))];
        default:
          return [];
      }
    },
  };
}

/** What a sub-agent says and is told, and its model calls. Its tool calls are in its messages. */
function subagentStep(
  traces: Traces,
  { namespace, name: subagent, event }: SubagentReport,
): readonly NewRunEvent[] {
  switch (event.type) {
    case 'model_call_start':
    case 'model_call_end':
    case 'model_call_failed':
      return [traces.modelCall(event, namespace)];
    case 'model_call_switched':
      return [switchedModel(traces, event)];
    case 'state':
      return event.delta.messages.flatMap((message) =>
        message.type === 'ai' || message.type === 'tool'
          ? traces.trace('subagent_step', messageContent(message), { namespace, subagent })
          : [],
      );
    case 'tool_end':
      return outcomeUnknown(event, traces, { namespace });
    default:
      return [];
  }
}

/** Makes traces: cut to the limit, timed, and model calls with their indexes. */
class Traces {
  readonly #parts: JournalParts;
  #modelCalls: number;
  /** The index of the call that goes on: an agent has one at a time, several agents work at once. */
  readonly #open = new Map<string, number>();

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#modelCalls = parts.modelCallsBefore;
  }

  made(event: UntimedEvent): NewRunEvent {
    return { ...event, createdAt: this.#parts.now() };
  }

  trace<Type extends RunEventType>(
    eventType: Type,
    content: Json,
    metadata: RunEventMetadata<Type> & JsonObject,
  ): NewRunEvent {
    const cut = cutTrace(content, this.#parts.traceLimitBytes);
    const event = runEvent(eventType, cut.content, metadata);
    return this.made({ ...event, metadata: { ...event.metadata, ...cut.metadata } });
  }

  modelCall(event: ModelCallStart | ModelCallEnd | ModelCallFailed, namespace: string): NewRunEvent {
    const { caller } = event;
    const agent = `${namespace} ${caller}`;
    if (event.type === 'model_call_start') this.#open.set(agent, ++this.#modelCalls);
    const llm_call_index = this.#open.get(agent) ?? this.#modelCalls;
    switch (event.type) {
      case 'model_call_start': {
        const cut = promptTrace(event.model, event.prompt(), this.#parts.traceLimitBytes);
        const metadata = { caller, llm_call_index, ...cut.metadata };
        return this.made(runEvent('llm_request', cut.content, metadata));
      }
      case 'model_call_end':
        return this.trace(
          'llm_response',
          chatCompletion({ ...event, id: event.messageId, createdAt: this.#parts.now() }),
          {
            caller,
            llm_call_index,
            model: event.model,
            ...spentMetadata(event),
            // A clock may have been set back meanwhile.
            latency_ms: Math.max(0, event.latencyMs),
          },
        );
      case 'model_call_failed':
        return this.trace('llm_error', event.message, {
          caller,
          llm_call_index,
          model: event.model,
          kind: event.kind,
          ...(event.spent === undefined ? {} : spentMetadata(event.spent)),
        });
      default:
        return event satisfies never;
    }
  }
}

/** What a model call took: the totals of the run are the sums of these. */
function spentMetadata({ usage, isEstimated, cost }: CallUsage) {
  return {
    usage: { ...usage },
    ...(isEstimated ? { usage_estimated: true as const } : {}),
    cost: shownMoney(cost),
  };
}

function toolEndTrace({ message }: ToolEnd, traces: Traces): NewRunEvent {
  return traces.trace('tool_end', textOf(message.content), {
    tool_name: message.name,
    tool_call_id: message.tool_call_id,
    status: message.status,
  });
}

function switchedModel(traces: Traces, { caller, failed, model, message }: ModelCallSwitched): NewRunEvent {
  return traces.trace('model_fallback', message, { caller, model, failed_model: failed });
}

/** Of a tool that may run once and whose process died under it. */
function outcomeUnknown(
  { message, isOutcomeUnknown }: ToolEnd,
  traces: Traces,
  place: { readonly namespace?: string } = {},
): readonly NewRunEvent[] {
  if (isOutcomeUnknown !== true) return [];
  const call = { tool_name: message.name, tool_call_id: message.tool_call_id };
  return [traces.trace('tool_outcome_unknown', '', { ...call, ...place })];
}

/** A tool that changes the state is recorded with its message, not with the change. */
function toolResult({ message }: ToolEnd): UntimedEvent {
  const { name, status } = message;
  return runEvent('tool_result', messageContent(message), { tool_name: name, status });
}

function middlewareTrace({ tag, content, metadata }: MiddlewareTrace): UntimedEvent {
  switch (tag) {
    case 'title':
      return runEvent('middleware:title', content, {});
    case 'plan':
      return runEvent('middleware:plan', content, {});
    case 'loops':
      return runEvent('middleware:loops', content, {});
    case 'goal':
      return runEvent('middleware:goal', content, {});
    case 'suggestions':
      return runEvent('middleware:suggestions', content, {});
    case 'summarize':
      return runEvent('middleware:summarize', content, metadata);
    default:
      return tag satisfies never;
  }
}

/** The lead agent's answer of a model step. */
function answersOf(event: StateChange): readonly UntimedEvent[] {
  if (event.node !== 'model') return [];
  return event.delta.messages.flatMap((message) => {
    if (message.type !== 'ai') return [];
    const { model_name: name, finish_reason } = message.response_metadata;
    const model_name = typeof name === 'string' ? name : null;
    if (message.tool_calls.length > 0) {
      const metadata = { model_name, finish_reason: 'tool_calls' } as const;
      return runEvent('ai_tool_call', messageContent(message), metadata);
    }
    if (message.content === '') return [];
    const reason = typeof finish_reason === 'string' ? finish_reason : 'stop';
    return runEvent('ai_message', messageContent(message), { model_name, finish_reason: reason });
  });
}

/** A message as the record shows it: the dump shape with its role. */
export function messageContent(message: Message): Json {
  return JSON.parse(serializedMessage(message).text);
}

/** The person's message as its content, written when the run is accepted and never again. */
export function humanMessageEvent(content: Json, createdAt: number): NewRunEvent {
  return { ...runEvent('human_message', content, {}), createdAt };
}
