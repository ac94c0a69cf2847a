// Converts agent events to run events (docs/contract/record.md#events).
import type {
  AgentEvent,
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
import type { PromptTexts } from '../../messages/prompt-texts.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import { JsonText, type NewRunEvent } from '../../storage/run-events.ts';
import { utf8Prefix } from '../../utf8-prefix.ts';
import {
  type RunEventMetadata,
  type RunEventType,
  runEvent,
  type UntimedEvent,
} from './run-event-catalogue.ts';

const MAX_ARGUMENT_CHARACTERS = 2_000;

interface JournalParts {
  readonly traceLimitBytes: number;
  /** Model calls of earlier attempts of the run. Their indexes are taken. */
  readonly modelCallsBefore: number;
  readonly now: () => number;
}

/** Pure, except for the indexes that pair a model request with its response. */
export class Journal {
  readonly #parts: JournalParts;
  #modelCalls: number;
  /** The indexes of calls in progress: one call for each agent, while several agents work concurrently. */
  readonly #open = new Map<string, number>();

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#modelCalls = parts.modelCallsBefore;
  }

  record(event: AgentEvent): readonly NewRunEvent[] {
    switch (event.type) {
      case 'model_call_start':
      case 'model_call_end':
      case 'model_call_failed':
      case 'model_call_switched':
        return [this.#modelCall(event, LEAD_NAMESPACE)];
      case 'subagent':
        return this.#subagentStep(event);
      case 'subagent_start': {
        const { namespace, name: subagent, callId: task_id, description, prompt } = event;
        return [this.#trace('subagent_start', prompt, { namespace, subagent, task_id, description })];
      }
      case 'subagent_end': {
        const { namespace, name: subagent, callId: task_id, status, text } = event;
        return [this.#trace('subagent_end', text, { namespace, subagent, task_id, status })];
      }
      case 'tools_start':
        return event.calls.map(({ call }) =>
          this.#trace('tool_start', '', {
            tool_name: call.name,
            tool_call_id: call.id,
            args: JSON.stringify(call.args).slice(0, MAX_ARGUMENT_CHARACTERS),
          }),
        );
      case 'tool_end':
        return [...this.#outcomeUnknown(event), ...this.#toolEnd(event)];
      case 'state':
        return answersOf(event).map((it) => this.#made(it));
      case 'middleware':
        return [
          this.#made(
            event.tag === 'summarize'
              ? runEvent('middleware:summarize', event.content, event.metadata)
              : runEvent(`middleware:${event.tag}`, event.content, {}),
          ),
        ];
      default:
        return [];
    }
  }

  /** Records what a sub-agent says and is given, and its model calls. Its messages contain its tool calls. */
  #subagentStep({ namespace, name: subagent, event }: SubagentReport): readonly NewRunEvent[] {
    switch (event.type) {
      case 'model_call_start':
      case 'model_call_end':
      case 'model_call_failed':
      case 'model_call_switched':
        return [this.#modelCall(event, namespace)];
      case 'state':
        return event.delta.messages.flatMap((message) =>
          message.type === 'ai' || message.type === 'tool'
            ? this.#trace('subagent_step', messageContent(message), { namespace, subagent })
            : [],
        );
      case 'tool_end':
        return this.#outcomeUnknown(event, { namespace });
      default:
        return [];
    }
  }

  #made(event: UntimedEvent): NewRunEvent {
    return { ...event, createdAt: this.#parts.now() };
  }

  #trace<Type extends RunEventType>(
    eventType: Type,
    content: Json,
    metadata: RunEventMetadata<Type> & JsonObject,
  ): NewRunEvent {
    const cut = cutTrace(content, this.#parts.traceLimitBytes);
    const event = runEvent(eventType, cut.content, metadata);
    return this.#made({ ...event, metadata: { ...event.metadata, ...cut.metadata } });
  }

  #modelCall(
    event: ModelCallStart | ModelCallEnd | ModelCallFailed | ModelCallSwitched,
    namespace: string,
  ): NewRunEvent {
    const { caller, model } = event;
    const agent = `${namespace} ${caller}`;
    if (event.type === 'model_call_start') this.#open.set(agent, ++this.#modelCalls);
    const llm_call_index = this.#open.get(agent) ?? this.#modelCalls;
    switch (event.type) {
      case 'model_call_start': {
        const cut = promptTrace(model, event.prompt(), this.#parts.traceLimitBytes);
        const metadata = { caller, llm_call_index, ...cut.metadata };
        return this.#made(runEvent('llm_request', cut.content, metadata));
      }
      case 'model_call_end':
        return this.#trace(
          'llm_response',
          chatCompletion({ ...event, id: event.messageId, createdAt: this.#parts.now() }),
          {
            caller,
            llm_call_index,
            model,
            ...spentMetadata(event),
            // The clock may have been set back during the call.
            latency_ms: Math.max(0, event.latencyMs),
          },
        );
      case 'model_call_failed':
        return this.#trace('llm_error', event.message, {
          caller,
          llm_call_index,
          model,
          kind: event.kind,
          ...(event.spent === undefined ? {} : spentMetadata(event.spent)),
        });
      case 'model_call_switched':
        return this.#trace('model_fallback', event.message, { caller, model, failed_model: event.failed });
    }
  }

  /** A tool that changes the state is recorded with its message, without the change. */
  #toolEnd({ message }: ToolEnd): readonly NewRunEvent[] {
    const { name: tool_name, tool_call_id, status } = message;
    return [
      this.#trace('tool_end', textOf(message.content), { tool_name, tool_call_id, status }),
      this.#made(runEvent('tool_result', messageContent(message), { tool_name, status })),
    ];
  }

  /** Records a tool that may run only once and whose process died while it ran. */
  #outcomeUnknown(
    { message, isOutcomeUnknown }: ToolEnd,
    place: { readonly namespace?: string } = {},
  ): readonly NewRunEvent[] {
    if (isOutcomeUnknown !== true) return [];
    const call = { tool_name: message.name, tool_call_id: message.tool_call_id };
    return [this.#trace('tool_outcome_unknown', '', { ...call, ...place })];
  }
}

/** Returns what a model call took. The totals of the run are the sums of these. */
function spentMetadata({ usage, isEstimated, cost }: CallUsage) {
  return {
    usage: { ...usage },
    ...(isEstimated ? { usage_estimated: true as const } : {}),
    cost: shownMoney(cost),
  };
}

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

/** Returns a message as the record shows it: the dump shape with its role. */
export function messageContent(message: Message): Json {
  return JSON.parse(serializedMessage(message).text);
}

/** Returns the event of the person's message, which is written once, when the run is admitted. */
export function humanMessageEvent(content: Json, createdAt: number): NewRunEvent {
  return { ...runEvent('human_message', content, {}), createdAt };
}

interface CutContent {
  readonly content: string | JsonText;
  /** Marks content that was cut. */
  readonly metadata: JsonObject;
}

/** Measures structured content as JSON text. If that is too long, the content is the text, cut. */
function cutTrace(content: Json, limitBytes: number): CutContent {
  const isText = typeof content === 'string';
  const text = isText ? content : JSON.stringify(content);
  const bytes = Buffer.byteLength(text);
  if (bytes > limitBytes) return cut(text, bytes, limitBytes);
  return { content: isText ? text : new JsonText(text), metadata: {} };
}

/** Returns the content of an `llm_request`. Message texts are ready-made, and not read past the limit. */
function promptTrace(
  model: string,
  { texts, bytes: messageBytes }: PromptTexts,
  limitBytes: number,
): CutContent {
  let text = `{"model":${JSON.stringify(model)},"messages":[`;
  const bytes = Buffer.byteLength(text) + messageBytes + 2;
  let separator = '';
  // A character is at least one byte, so what is omitted here would be cut off as well.
  for (const message of texts(limitBytes)) {
    if (text.length > limitBytes) break;
    text += separator + message;
    separator = ',';
  }
  text += ']}';
  return bytes <= limitBytes ? { content: new JsonText(text), metadata: {} } : cut(text, bytes, limitBytes);
}

function cut(text: string, bytes: number, limitBytes: number): CutContent {
  return {
    content: utf8Prefix(text, limitBytes),
    metadata: { content_truncated: true, original_byte_length: bytes },
  };
}
