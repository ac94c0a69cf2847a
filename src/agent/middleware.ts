// Middleware: hooks around the loop and its steps, and how they are composed.
import type { AiMessage, Json, JsonObject, ToolCall } from '../messages/message.ts';
import type { StateDelta, ThreadState } from '../messages/thread-state.ts';
import type { ModelError, ModelRequest } from '../models/model.ts';
import type { Answers } from './agent.ts';
import type { AgentStop, Emit } from './agent-event.ts';
import { interruptIn } from './interrupts.ts';

export interface HookContext {
  readonly threadId: string;
  readonly runId: string;
  readonly userId: string;
  readonly state: ThreadState;
  readonly signal: AbortSignal;
}

export interface HookEffect {
  readonly delta?: StateDelta;
  /** Only `afterModel`, with a delta: the model had finished, and is called once more. */
  readonly asksAgain?: true;
  /** Only `beforeModel`: the model is not called any more, and the run ends with this. */
  readonly stop?: AgentStop;
}

/** A middleware's decision about the calls of a message, before any of them runs. */
export interface ToolReview {
  /** The calls to run, in order, perhaps with other arguments. */
  readonly calls: readonly ToolCall[];
  /** Calls that get a refusal as their result; `message` is a sentence for the model. */
  readonly refused: readonly { readonly call: ToolCall; readonly message: string }[];
  readonly values?: JsonObject;
}

/** Refuses the calls for which `refusalOf` returns a sentence for the model. */
export function refusing(
  calls: readonly ToolCall[],
  refusalOf: (call: ToolCall) => string | undefined,
): ToolReview {
  const refused = calls.flatMap((call) => {
    const message = refusalOf(call);
    return message === undefined ? [] : [{ call, message }];
  });
  const isRefused = new Set(refused.map(({ call }) => call));
  return { calls: calls.filter((call) => !isRefused.has(call)), refused };
}

export interface ReviewContext extends HookContext {
  /** As `ToolContext.interrupt`. */
  readonly interrupt: (value: Json) => Json;
}

/** `emit` reports the hook's work as it happens: traces, progress and its own model calls. */
type Hook = (context: HookContext, emit: Emit) => Promise<HookEffect | undefined>;

/**
 * Every hook is optional. The first middleware is the outermost: its `before` hooks come first, its `after`
 * hooks last. A hook that fails fails the run, so a middleware catches the errors it can tolerate, but never
 * what `emit` throws.
 */
export interface Middleware {
  /** Also the node name of its steps: `<name>.before_agent` and so on. */
  readonly name: string;
  readonly beforeAgent?: Hook;
  readonly beforeModel?: Hook;
  readonly afterModel?: Hook;
  readonly afterAgent?: Hook;
  /** Shapes the request before the call is reported and made. Pure. */
  readonly shapeRequest?: (request: ModelRequest, state: ThreadState) => ModelRequest;
  /** Called when a call failed before any output. Returns state values that make one more try worthwhile. */
  readonly afterModelFailure?: (
    error: ModelError,
    context: HookContext,
    emit: Emit,
  ) => Promise<JsonObject | undefined>;
  /** Reviews the calls before they run, and may ask the person about them. */
  readonly reviewTools?: (calls: readonly ToolCall[], context: ReviewContext) => Promise<ToolReview>;
  /** As `shapeRequest`, but after the call is reported. Adds what a record does not hold, such as images. */
  readonly shapeSent?: (request: ModelRequest, context: HookContext) => Promise<ModelRequest>;
}

export type HookName = 'beforeAgent' | 'beforeModel' | 'afterModel' | 'afterAgent';

const NODE_SUFFIX = {
  beforeAgent: 'before_agent',
  beforeModel: 'before_model',
  afterModel: 'after_model',
  afterAgent: 'after_agent',
} as const satisfies Record<HookName, string>;

export interface NamedHook {
  readonly node: string;
  readonly run: Hook;
}

/** Returns the hooks of one kind in the order in which they run, each with its node name. */
export function hooksOf(middleware: readonly Middleware[], name: HookName): readonly NamedHook[] {
  const ordered = name.startsWith('after') ? middleware.toReversed() : middleware;
  return ordered.flatMap((it) => {
    const hook = it[name];
    return hook === undefined ? [] : [{ node: `${it.name}.${NODE_SUFFIX[name]}`, run: hook }];
  });
}

export function shapedRequest(
  middleware: readonly Middleware[],
  request: ModelRequest,
  state: ThreadState,
): ModelRequest {
  return middleware.reduce((shaped, it) => it.shapeRequest?.(shaped, state) ?? shaped, request);
}

/** Returns the request to send, which can differ from the one that is reported. */
export async function sentRequest(
  middleware: readonly Middleware[],
  request: ModelRequest,
  context: HookContext,
): Promise<ModelRequest> {
  let sent = request;
  for (const { shapeSent } of middleware) if (shapeSent !== undefined) sent = await shapeSent(sent, context);
  return sent;
}

/** Returns the first remedy that a middleware offers; `undefined` when there is none. */
export async function remedyFor(
  middleware: readonly Middleware[],
  { error, context }: { readonly error: ModelError; readonly context: HookContext },
  emit: Emit,
): Promise<JsonObject | undefined> {
  for (const { afterModelFailure } of middleware) {
    const values = await afterModelFailure?.(error, context, emit);
    if (values !== undefined) return values;
  }
  return undefined;
}

export interface ReviewedTools extends ToolReview {
  readonly values: JsonObject;
  /** The message with the arguments that will run; absent when nothing was changed. */
  readonly edited: AiMessage | undefined;
}

/** Shows each middleware the calls that the one before left. Throws `RunInterrupt` to ask the person. */
export async function reviewTools(
  middleware: readonly Middleware[],
  reply: { readonly message: AiMessage; readonly calls: readonly ToolCall[] },
  context: HookContext & { readonly answers: Answers },
): Promise<ReviewedTools> {
  let review: Required<ToolReview> = { calls: reply.calls, refused: [], values: {} };
  for (const { name, reviewTools: reviewer } of middleware) {
    if (reviewer === undefined) continue;
    const interrupt = interruptIn(`${reply.message.id}:${name}`, context.answers);
    const { calls, refused, values = {} } = await reviewer(review.calls, { ...context, interrupt });
    review = { calls, refused: [...review.refused, ...refused], values: { ...review.values, ...values } };
  }
  return { ...review, edited: editedMessage(reply.message, review.calls) };
}

function editedMessage(message: AiMessage, reviewed: readonly ToolCall[]): AiMessage | undefined {
  const byId = new Map(reviewed.map((call) => [call.id, call]));
  const toolCalls = message.tool_calls.map((call) => byId.get(call.id) ?? call);
  const isChanged = toolCalls.some((call, index) => call !== message.tool_calls[index]);
  return isChanged ? { ...message, tool_calls: toolCalls } : undefined;
}
