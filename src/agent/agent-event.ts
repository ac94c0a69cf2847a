// The union of all events that an agent emits while it runs. It reports nothing else.
import type { Interrupt } from '../messages/interrupt.ts';
import type { Json, JsonObject, ToolCall, ToolMessage, UsageMetadata } from '../messages/message.ts';
import type { PromptTexts } from '../messages/prompt-texts.ts';
import type { Fold, StateDelta } from '../messages/thread-state.ts';
import type { ModelPart } from '../models/model.ts';
import type { BackgroundWork, ToolEffect } from '../tools/tool.ts';
import type { BudgetScope } from './call-budget.ts';
import type { CallUsage } from './call-usage.ts';

/** Who made a model call (docs/contract/record.md#events). */
export type Caller = 'lead_agent' | `subagent:${string}` | `middleware:${string}`;

/** A node begins a step; the `state` event with the same task id ends it. */
export interface StepStart {
  readonly type: 'step_start';
  readonly node: string;
  readonly step: number;
  readonly taskId: string;
}

/** Text or reasoning. Pieces that arrive together are one event here; readers are shown them one by one. */
export type TextDelta = Extract<ModelPart, { type: 'text_delta' | 'reasoning_delta' }> & OfMessage;

/** A piece of a message that is being written: text, reasoning or the JSON text of tool-call arguments. */
export type MessageDelta = TextDelta | (Extract<ModelPart, { type: 'tool_call_delta' }> & OfMessage);

interface OfMessage {
  readonly messageId: string;
}

/** The message is complete; its whole content comes with the `state` event of the step. */
export interface MessageEnd extends OfMessage {
  readonly type: 'message_end';
  readonly usage: UsageMetadata | null;
  readonly responseMetadata: JsonObject;
}

/** Discards what was streamed of this message so far. It is written again under the same id. */
export interface MessageRestart extends OfMessage {
  readonly type: 'message_restart';
}

/** Calls of one message are about to run. The caller makes this durable before the agent continues. */
export interface ToolsStart {
  readonly type: 'tools_start';
  readonly calls: readonly { readonly call: ToolCall; readonly effect: ToolEffect }[];
}

/** The result of one call; `values` is what the call changes in the state besides the message. */
export interface ToolEnd {
  readonly type: 'tool_end';
  readonly message: ToolMessage;
  readonly values: JsonObject;
  /** True when the call asked the person something. The run ends after this step. */
  readonly awaitsInput: boolean;
  /** Work that begins with the result. Both become durable together. */
  readonly begins?: BackgroundWork;
  /** Set when the call was running as the service stopped. It is not run again. */
  readonly isOutcomeUnknown?: true;
}

/** A node that waits for the person: what it asks, and the answers it already has. */
export type PendingTask = {
  readonly id: string;
  readonly name: string;
  readonly interrupts: readonly Interrupt[];
  readonly answered: JsonObject;
};

/** The end of a step: what it changed, and which nodes come next. Without one, nothing is left to do. */
export interface StateChange {
  readonly type: 'state';
  readonly source: 'input' | 'loop';
  readonly node: string | null;
  readonly taskId: string;
  readonly delta: StateDelta;
  /** The state with the delta, folded once for everyone who continues from it. */
  readonly fold: Fold;
  readonly next: readonly string[];
  /** Empty unless the run stops here to ask the person. */
  readonly tasks: readonly PendingTask[];
}

export interface CustomProgress {
  readonly type: 'custom';
  readonly data: Json;
}

interface OfCall {
  readonly caller: Caller;
  readonly model: string;
}

/** A model call begins; `prompt` returns its messages, for recording. */
export interface ModelCallStart extends OfCall, OfMessage {
  readonly type: 'model_call_start';
  readonly prompt: () => PromptTexts;
}

/** A model call ended, either complete or cut short after the model had begun its reply. */
export interface ModelCallEnd extends OfCall, OfMessage, CallUsage {
  readonly type: 'model_call_end';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly latencyMs: number;
}

/** A model call failed. The run continues only if the call is repeated. */
export interface ModelCallFailed extends OfCall {
  readonly type: 'model_call_failed';
  readonly kind: string;
  readonly message: string;
  /** Usage up to the failure; absent when the model had produced nothing. */
  readonly spent?: CallUsage;
}

/** Another model is called instead of one that failed before producing output. */
export interface ModelCallSwitched extends OfCall {
  readonly type: 'model_call_switched';
  readonly failed: string;
  /** The reason, as a sentence for a person. */
  readonly message: string;
}

/** Work of a middleware, for the record: `tag` becomes the event type `middleware:<tag>`. */
export type MiddlewareTrace = { readonly type: 'middleware'; readonly content: Json } & (
  | { readonly tag: 'title' | 'plan' | 'goal' | 'suggestions' | 'loops' }
  | { readonly tag: 'summarize'; readonly metadata: { readonly replaced_count: number } }
);

/** Why the loop stopped, by itself or because its signal was aborted. */
export type AgentStop =
  | { readonly kind: 'completed' | 'awaiting_input' | 'aborted' }
  /** `message` is a sentence for a person. */
  | {
      readonly kind:
        | 'max_steps'
        | 'loop_detected'
        | 'model_error'
        | 'rate_limited'
        | 'context_overflow'
        | 'timeout';
      readonly message: string;
    }
  | { readonly kind: 'budget_exhausted'; readonly budget: BudgetScope; readonly message: string };

/** A sub-agent begins the task of a call. It starts over after a crash unless this event is durable. */
export interface SubagentStart extends OfSubagent {
  readonly type: 'subagent_start';
  readonly description: string;
  readonly prompt: string;
  /** Its state before its first step. */
  readonly input: StateChange;
}

export type SubagentStatus = 'completed' | 'failed' | 'cancelled' | 'timed_out';

/** `text` is the sub-agent's reply, or a sentence that explains why there is none. */
export interface SubagentOutcome {
  readonly status: SubagentStatus;
  readonly text: string;
}

/** Once this is durable, the sub-agent is never resumed. */
export interface SubagentEnd extends OfSubagent, SubagentOutcome {
  readonly type: 'subagent_end';
}

interface OfSubagent {
  readonly namespace: string;
  readonly name: string;
  readonly callId: string;
  /** For clients that follow the agent that gave the task. */
  readonly progress: Json;
}

/** What an agent reports of its own work, whether lead agent or sub-agent. */
export type OwnEvent =
  | StepStart
  | MessageDelta
  | MessageEnd
  | MessageRestart
  | ToolsStart
  | ToolEnd
  | StateChange
  | CustomProgress
  | ModelCallStart
  | ModelCallEnd
  | ModelCallFailed
  | ModelCallSwitched
  | MiddlewareTrace;

/**
 * An event of a sub-agent. `namespace` is its position in the run: `tools:<id of the call that began it>`,
 * preceded by the namespace of the enclosing agent and `|`.
 */
export interface SubagentReport {
  readonly type: 'subagent';
  readonly namespace: string;
  readonly name: string;
  readonly event: OwnEvent;
}

export type AgentEvent = OwnEvent | SubagentStart | SubagentReport | SubagentEnd;

/**
 * Takes an event. When it returns a promise, the emitter continues only after it resolves. This gives
 * back-pressure, and durability where the event needs it. Pieces of messages usually return no promise, so
 * that nothing is awaited for each of them. Throws or rejects when events are no longer accepted; the emitter
 * propagates that and ends.
 */
export type Emit<Event = AgentEvent> = (event: Event) => Promise<void> | undefined;
