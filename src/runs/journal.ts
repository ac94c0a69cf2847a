// Which run events an agent event becomes (contract, Run events recorded in the event store).
import type { AgentEvent, ModelCallEnd, ModelCallStart, StateChange, ToolEnd } from '../agent/agent-event.ts';
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

/** Pure but for the index that pairs a model request with its response. */
export function createJournal({ traceLimitBytes, modelCallsBefore, now }: JournalParts): Journal {
  let callIndex = modelCallsBefore;
  const trace = (eventType: string, content: Json, metadata: JsonObject): NewRunEvent => {
    const cut = cutTrace(content, traceLimitBytes);
    return made({
      eventType,
      category: 'trace',
      content: cut.content,
      metadata: { ...metadata, ...cut.metadata },
    });
  };
  const made = (event: Omit<NewRunEvent, 'createdAt'>): NewRunEvent => ({ ...event, createdAt: now() });

  const modelCallStart = (event: ModelCallStart): NewRunEvent => {
    callIndex++;
    const cut = promptTrace(event.model, event.prompt(), traceLimitBytes);
    const metadata = { caller: event.caller, llm_call_index: callIndex, ...cut.metadata };
    return made({ eventType: 'llm_request', category: 'trace', content: cut.content, metadata });
  };
  const modelCallEnd = (event: ModelCallEnd): NewRunEvent => {
    const content = chatCompletion({ ...event, id: event.messageId });
    return trace('llm_response', content, {
      caller: event.caller,
      llm_call_index: callIndex,
      usage: event.usage === null ? null : { ...event.usage },
      latency_ms: event.latencyMs,
    });
  };

  return {
    record(event) {
      switch (event.type) {
        case 'model_call_start':
          return [modelCallStart(event)];
        case 'model_call_end':
          return [modelCallEnd(event)];
        case 'model_call_failed':
          return [
            trace('llm_error', event.message, {
              caller: event.caller,
              llm_call_index: callIndex,
              kind: event.kind,
            }),
          ];
        case 'tools_start':
          return event.calls.map(({ call }) =>
            trace('tool_start', '', {
              tool_name: call.name,
              tool_call_id: call.id,
              args: JSON.stringify(call.args).slice(0, MAX_ARGUMENT_CHARACTERS),
            }),
          );
        case 'tool_end':
          return [toolEndTrace(event, trace), made(toolResult(event))];
        case 'state':
          return answersOf(event).map(made);
        case 'middleware': {
          const category: RunEventCategory =
            event.tag === 'summarize' ? 'middleware:summarize' : 'middleware';
          const { content, metadata } = event;
          return [made({ eventType: `middleware:${event.tag}`, category, content, metadata })];
        }
        default:
          return [];
      }
    },
  };
}

function toolEndTrace(
  event: ToolEnd,
  trace: (eventType: string, content: Json, metadata: JsonObject) => NewRunEvent,
): NewRunEvent {
  const { message } = event;
  return trace('tool_end', textOf(message.content), {
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
