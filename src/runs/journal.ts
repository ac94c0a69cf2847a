// Which run events an agent event becomes (contract, Run events recorded in the event store).
import type {
  AgentEvent,
  ModelCallEnd,
  ModelCallFailed,
  ModelCallStart,
  StateChange,
  SubagentReport,
  ToolEnd,
} from '../agent/agent-event.ts';
import { LEAD_NAMESPACE } from '../messages/agent-namespace.ts';
import { chatCompletion } from '../messages/chat-completion.ts';
import { type Json, type JsonObject, type Message, textOf } from '../messages/message.ts';
import { serializedMessage } from '../messages/serialized-message.ts';
import type { NewRunEvent, RunEventCategory } from '../storage/run-events.ts';
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
        case 'subagent':
          return subagentStep(traces, event);
        case 'subagent_start': {
          const { namespace, name: subagent, callId: task_id, description, prompt } = event;
          return [traces.subagent('start', prompt, { namespace, subagent, task_id, description })];
        }
        case 'subagent_end': {
          const { namespace, name: subagent, callId: task_id, status, text } = event;
          return [traces.subagent('end', text, { namespace, subagent, task_id, status })];
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
          return [toolEndTrace(event, traces), traces.made(toolResult(event))];
        case 'state':
          return answersOf(event).map((it) => traces.made(it));
        case 'middleware': {
          const category: RunEventCategory =
            event.tag === 'summarize' ? 'middleware:summarize' : 'middleware';
          const { content, metadata } = event;
          return [traces.made({ eventType: `middleware:${event.tag}`, category, content, metadata })];
        }
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
    case 'state':
      return event.delta.messages.flatMap((message) =>
        message.type === 'ai' || message.type === 'tool'
          ? traces.subagent('step', messageContent(message), { namespace, subagent })
          : [],
      );
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

  made(event: Omit<NewRunEvent, 'createdAt'>): NewRunEvent {
    return { ...event, createdAt: this.#parts.now() };
  }

  trace(eventType: string, content: Json, metadata: JsonObject): NewRunEvent {
    return this.#cut({ eventType, category: 'trace', content, metadata });
  }

  #cut(event: Omit<NewRunEvent, 'createdAt'>): NewRunEvent {
    const { content, metadata } = cutTrace(event.content, this.#parts.traceLimitBytes);
    return this.made({ ...event, content, metadata: { ...event.metadata, ...metadata } });
  }

  subagent(what: 'start' | 'step' | 'end', content: Json, metadata: JsonObject): NewRunEvent {
    return this.#cut({ eventType: `subagent_${what}`, category: 'subagent', content, metadata });
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
        return this.made({ eventType: 'llm_request', category: 'trace', content: cut.content, metadata });
      }
      case 'model_call_end':
        return this.trace('llm_response', chatCompletion({ ...event, id: event.messageId }), {
          caller,
          llm_call_index,
          usage: event.usage === null ? null : { ...event.usage },
          latency_ms: event.latencyMs,
        });
      case 'model_call_failed':
        return this.trace('llm_error', event.message, { caller, llm_call_index, kind: event.kind });
      default:
        return event satisfies never;
    }
  }
}

function toolEndTrace({ message }: ToolEnd, traces: Traces): NewRunEvent {
  return traces.trace('tool_end', textOf(message.content), {
    tool_name: message.name,
    tool_call_id: message.tool_call_id,
    status: message.status,
  });
}

function toolResult({ message }: ToolEnd): Omit<NewRunEvent, 'createdAt'> {
  return {
    eventType: 'tool_result',
    category: 'message',
    content: messageContent(message),
    metadata: { tool_name: message.name, status: message.status },
  };
}

/** The lead agent's answer of a model step. */
function answersOf(event: StateChange): readonly Omit<NewRunEvent, 'createdAt'>[] {
  if (event.node !== 'model') return [];
  return event.delta.messages.flatMap((message) => {
    if (message.type !== 'ai') return [];
    const calls = message.tool_calls.length > 0;
    if (!calls && message.content === '') return [];
    return {
      eventType: calls ? 'ai_tool_call' : 'ai_message',
      category: 'message' as const,
      content: messageContent(message),
      metadata: {
        model_name: message.response_metadata.model_name ?? null,
        finish_reason: calls ? 'tool_calls' : (message.response_metadata.finish_reason ?? 'stop'),
      },
    };
  });
}

/** A message as the record shows it: the dump shape with its role. */
function messageContent(message: Message): Json {
  return JSON.parse(serializedMessage(message).text);
}

/** The person's message, written when the run is accepted and never again. */
export function humanMessageEvent(message: Message, createdAt: number): NewRunEvent {
  return {
    eventType: 'human_message',
    category: 'message',
    content: messageContent(message),
    metadata: {},
    createdAt,
  };
}

/** `run_start`, `run_end` or `run_error`. */
export function lifecycleEvent(
  eventType: 'run_start' | 'run_end' | 'run_error',
  fields: { readonly content?: string; readonly metadata: JsonObject },
  createdAt: number,
): NewRunEvent {
  return {
    eventType,
    category: 'lifecycle',
    content: fields.content ?? '',
    metadata: fields.metadata,
    createdAt,
  };
}
