// The union of everything an agent reports while it runs, and nothing else leaves it.

import type { Interrupt } from '../messages/interrupt.ts';
import type { Json, JsonObject, ToolCall, ToolMessage, UsageMetadata } from '../messages/message.ts';
import type { PromptTexts } from '../messages/prompt-texts.ts';
import type { Fold, StateDelta } from '../messages/thread-state.ts';
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

/** Text or reasoning. Readers are shown its pieces one by one: those that arrived together are one event only here. */
export interface TextDelta {
  readonly type: 'text_delta' | 'reasoning_delta';
  readonly messageId: string;
  readonly text: string;
  /** The characters of each piece; absent when there is one. */
  readonly lengths?: readonly number[];
}

/** A piece of a message that is being written: text, reasoning or the JSON text of tool-call arguments. */
export type MessageDelta =
  | TextDelta
  | {
      readonly type: 'tool_call_delta';
      readonly messageId: string;
      readonly index: number;
      /** With the first piece of a call only, like `name`. */
      readonly id?: string;
      readonly name?: string;
      readonly args: string;
    };

/** The message is complete; its whole content comes with the `state` event of the step. */
export interface MessageEnd {
  readonly type: 'message_end';
  readonly messageId: string;
  readonly usage: UsageMetadata | null;
  readonly responseMetadata: JsonObject;
}

/** Discards what was streamed of this message so far: it is being written again under the same id. */
export interface MessageRestart {
  readonly type: 'message_restart';
  readonly messageId: string;
}

/** Calls of one answer are about to run. The caller makes this durable before the agent continues. */
export interface ToolsStart {
  readonly type: 'tools_start';
  readonly calls: readonly { readonly call: ToolCall; readonly effect: ToolEffect }[];
}

/** The result of one call; `values` is what the call changes in the state besides the message. */
export interface ToolEnd {
  readonly type: 'tool_end';
  readonly message: ToolMessage;
  readonly values: JsonObject;
  /** The call asked the person something: the run ends after this step. */
  readonly awaitsInput: boolean;
  /** Begun with the result: both are durable at once. */
  readonly begins?: BackgroundWork;
  /** It was running when the service stopped, and is not run again. */
  readonly isOutcomeUnknown?: true;
}

/** A node that waits for the person: what it asks, and what was answered of it before. */
export type PendingTask = {
  readonly id: string;
  readonly name: string;
  readonly interrupts: readonly Interrupt[];
  readonly answered: JsonObject;
};

/** The end of a step: what it changed, and which node comes next (none: nothing is left to do). */
export interface StateChange {
  readonly type: 'state';
  readonly source: 'input' | 'loop';
  readonly node: string | null;
  readonly taskId: string;
  readonly delta: StateDelta;
  /** The state with the delta: folded once, for everybody who goes on from it. */
  readonly fold: Fold;
  readonly next: readonly string[];
  /** Empty unless the run stops here to ask. */
  readonly tasks: readonly PendingTask[];
}

export interface CustomProgress {
  readonly type: 'custom';
  readonly data: Json;
}

/** A model call begins; `prompt` returns its messages, for recording. */
export interface ModelCallStart {
  readonly type: 'model_call_start';
  readonly caller: Caller;
  readonly model: string;
  readonly messageId: string;
  readonly prompt: () => PromptTexts;
}

/** A model call is over: answered, or cut short after the model had begun to answer. */
export interface ModelCallEnd extends CallUsage {
  readonly type: 'model_call_end';
  readonly caller: Caller;
  readonly model: string;
  readonly messageId: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly latencyMs: number;
}

/** A model call failed; the run goes on only if the call is repeated. */
export interface ModelCallFailed {
  readonly type: 'model_call_failed';
  readonly caller: Caller;
  readonly model: string;
  readonly kind: string;
  readonly message: string;
  /** What was said until then has its price; absent when nothing was. */
  readonly spent?: CallUsage;
}

/** Another model is called instead of one that failed before producing output. */
export interface ModelCallSwitched {
  readonly type: 'model_call_switched';
  readonly caller: Caller;
  readonly failed: string;
  readonly model: string;
  /** Why, in a sentence for a person. */
  readonly message: string;
}

/** Work of a middleware, for the record: `tag` becomes the event type `middleware:<tag>`. */
export type MiddlewareTrace =
  | {
      readonly type: 'middleware';
      readonly tag: 'title' | 'plan' | 'goal' | 'suggestions' | 'loops';
      readonly content: Json;
      readonly metadata: Readonly<Record<string, never>>;
    }
  | {
      readonly type: 'middleware';
      readonly tag: 'summarize';
      readonly content: Json;
      readonly metadata: { readonly replaced_count: number };
    };

/** Why the loop stopped by itself or because its signal was aborted. */
export type AgentStop =
  | { readonly kind: 'completed' }
  | { readonly kind: 'awaiting_input' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'max_steps' | 'loop_detected'; readonly message: string }
  /** `message` is a sentence for a person. */
  | {
      readonly kind: 'model_error' | 'rate_limited' | 'context_overflow' | 'timeout';
      readonly message: string;
    }
  | { readonly kind: 'budget_exhausted'; readonly budget: BudgetScope; readonly message: string };

/** A sub-agent begins the task of a call. What it says of this is durable as one, or it begins anew after a crash. */
export interface SubagentStart {
  readonly type: 'subagent_start';
  readonly namespace: string;
  readonly name: string;
  readonly callId: string;
  readonly description: string;
  readonly prompt: string;
  /** Its state before its first step. */
  readonly input: StateChange;
  /** For clients that follow the agent which gave the task. */
  readonly progress: Json;
}

export type SubagentStatus = 'completed' | 'failed' | 'cancelled' | 'timed_out';

/** `text` is its answer, or a sentence that says why there is none. */
export interface SubagentOutcome {
  readonly status: SubagentStatus;
  readonly text: string;
}

/** Once this is durable, the sub-agent is never taken up again. */
export interface SubagentEnd extends SubagentOutcome {
  readonly type: 'subagent_end';
  readonly namespace: string;
  readonly name: string;
  readonly callId: string;
  readonly progress: Json;
}

/** What an agent says of its own work, be it the lead agent or a sub-agent. */
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
 * What a sub-agent says. `namespace` is its place in the run: `tools:<id of the call that began it>`, behind that of
 * the agent around it and `|`.
 */
export interface SubagentReport {
  readonly type: 'subagent';
  readonly namespace: string;
  readonly name: string;
  readonly event: OwnEvent;
}

export type AgentEvent = OwnEvent | SubagentStart | SubagentReport | SubagentEnd;

/**
 * Takes an event. When it returns a promise, the emitter continues only after it resolves: this gives back-pressure,
 * and durability where the event needs it. Pieces of messages usually return none, so that nothing is awaited for each
 * of them. Throws or rejects when events are no longer accepted: whoever emits passes that on and ends.
 */
export type Emit<Event = AgentEvent> = (event: Event) => Promise<void> | undefined;
