// The union of everything a run reports, and nothing else leaves the agent.
import type { Json, JsonObject, ToolCall, ToolMessage, UsageMetadata } from '../messages/message.ts';
import type { StateDelta } from '../messages/thread-state.ts';

/** Who made a model call (decisions, section 5). */
export type Caller = 'lead_agent' | `subagent:${string}` | `middleware:${string}`;

/** Why the loop stopped by itself. An abort is not among them: whoever aborted knows why. */
export type AgentStop =
  | 'completed'
  | 'max_steps'
  | 'awaiting_input'
  | 'context_overflow'
  | 'model_error'
  | 'rate_limited'
  | 'timeout'
  | 'interrupted';

/** A node begins a step; the pair of the `state` event with the same task id. */
export interface StepStart {
  readonly type: 'step_start';
  readonly node: string;
  readonly step: number;
  readonly taskId: string;
}

/** Text, reasoning or tool-call arguments of a message that is being written. */
export type MessageDelta =
  | { readonly type: 'text_delta'; readonly messageId: string; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly messageId: string; readonly text: string }
  | {
      readonly type: 'tool_call_delta';
      readonly messageId: string;
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly args: string;
    };

/** What was said of this message so far is void: it is being written again under the same id. */
export interface MessageRestart {
  readonly type: 'message_restart';
  readonly messageId: string;
}

export interface ToolStart {
  readonly type: 'tool_start';
  readonly call: ToolCall;
  readonly effect: 'read' | 'idempotent' | 'once';
}

/** The result of one call; `values` is what the call changes in the state besides the message. */
export interface ToolEnd {
  readonly type: 'tool_end';
  readonly message: ToolMessage;
  readonly values: JsonObject;
  /** The call asked the person something: the run ends after this step. */
  readonly awaitsInput: boolean;
}

/** The end of a step: what it changed, and which node would come next (none: the run is over). */
export interface StateChange {
  readonly type: 'state';
  readonly source: 'input' | 'loop';
  readonly node: string | null;
  readonly step: number;
  readonly taskId: string;
  readonly delta: StateDelta;
  readonly next: readonly string[];
}

export interface CustomProgress {
  readonly type: 'custom';
  readonly data: Json;
}

/** A model call begins: what it was sent, for the record only. */
export interface ModelCallStart {
  readonly type: 'model_call_start';
  readonly caller: Caller;
  readonly model: string;
  /** The prompt in chat-completion format, made only when somebody writes it down. */
  readonly prompt: () => PromptText;
}

/** JSON text of the prompt, cut at `maxBytes`; `bytes` is its whole length. */
export interface PromptText {
  readonly parts: Iterable<{ readonly text: string; readonly bytes: number }>;
}

export interface ModelCallEnd {
  readonly type: 'model_call_end';
  readonly caller: Caller;
  readonly model: string;
  readonly message: {
    readonly id: string;
    readonly content: string;
    readonly toolCalls: readonly ToolCall[];
  };
  readonly finishReason: string;
  readonly usage: UsageMetadata | null;
  readonly latencyMs: number;
}

/** A model call failed; the run goes on only if the call is repeated. */
export interface ModelCallFailed {
  readonly type: 'model_call_failed';
  readonly caller: Caller;
  readonly model: string;
  readonly kind: string;
  readonly message: string;
}

/** Work of a middleware, for the record: `tag` becomes the event type `middleware:<tag>`. */
export interface MiddlewareTrace {
  readonly type: 'middleware';
  readonly tag: string;
  readonly content: Json;
}

/** The last event of every run of the agent. `error` is a sentence for a person. */
export interface AgentFinish {
  readonly type: 'finish';
  readonly stop: AgentStop;
  readonly error?: string;
}

export type AgentEvent =
  | StepStart
  | MessageDelta
  | MessageRestart
  | ToolStart
  | ToolEnd
  | StateChange
  | CustomProgress
  | ModelCallStart
  | ModelCallEnd
  | ModelCallFailed
  | MiddlewareTrace
  | AgentFinish;
