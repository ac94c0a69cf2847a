// The model port: one streamed call to a chat model.
import type { JsonObject, Message, ToolCall, UsageMetadata } from '../messages/message.ts';
import type { Price } from '../messages/money.ts';

/** What a model is shown of a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: JsonObject;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Messages of the thread that the model is not shown. The ids of their tool calls are not used again. */
  readonly unsent?: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly thinking: boolean;
  /** The call stops within a second of an abort and throws the signal's reason. */
  readonly signal: AbortSignal;
}

/** What arrives during a reply, in order. A call ends with exactly one `finish`, or throws. */
export type ModelPart =
  | {
      readonly type: 'text_delta' | 'reasoning_delta';
      readonly text: string;
      /** For a text whose pieces arrived together: the characters of each piece, in order. */
      readonly lengths?: readonly number[];
    }
  /** `args` is a piece of the JSON text; `id` and `name` come only with the first piece of a call. */
  | {
      readonly type: 'tool_call_delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly args: string;
    }
  | ModelFinish
  /** Another model is called instead of the one that `failed` before any output. `reason` is for a person. */
  | {
      readonly type: 'switch';
      readonly model: ModelInfo;
      readonly failed: string;
      readonly kind: ModelErrorKind;
      readonly reason: string;
    }
  /** The request failed before the first token and is sent again after `waitMs`. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly waitMs: number;
      readonly reason: string;
    };

export interface ModelFinish {
  readonly type: 'finish';
  readonly finishReason: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';
  readonly toolCalls: readonly ToolCall[];
  readonly usage: UsageMetadata | null;
  /** What the provider wants back with this message later, such as signatures of reasoning. */
  readonly providerMetadata: JsonObject | undefined;
}

export interface ModelInfo {
  readonly name: string;
  readonly displayName: string;
  readonly description: string | undefined;
  /** The provider's own name for the model. */
  readonly model: string;
  readonly provider: string;
  readonly supportsThinking: boolean;
  readonly supportsVision: boolean;
  /** The largest prompt and reply together, in tokens; `undefined` when unknown. */
  readonly contextWindow: number | undefined;
  /** The longest reply to request from the provider; absent: the provider decides. */
  readonly outputLimit?: number | undefined;
  readonly price?: Price | undefined;
}

export interface Model {
  readonly info: ModelInfo;
  /** Throws only `ModelError`, or the reason of an aborted signal. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/**
 * Why a call failed. `broken_stream`: the reply began and did not end as the protocol requires (no finish, or
 * tool arguments that do not parse). Its text so far is kept, its tool calls are dropped, and the call may be
 * repeated.
 */
export type ModelErrorKind =
  | 'model_error'
  | 'rate_limited'
  | 'context_overflow'
  | 'timeout'
  | 'broken_stream';

interface ModelErrorOptions {
  readonly cause?: unknown;
  /**
   * Whose fault it is. `request`: this request cannot be answered, which says nothing about the model; it may
   * answer others. Default: the provider's, or that of the network on the way to it.
   */
  readonly fault?: ModelError['fault'] | undefined;
}

/** `message` is a sentence for a person. It never holds a key, an address with credentials or a raw body. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly fault: 'provider' | 'request';

  constructor(kind: ModelErrorKind, message: string, { cause, fault = 'provider' }: ModelErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.fault = fault;
  }
}
