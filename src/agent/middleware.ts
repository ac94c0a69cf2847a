// Middleware: hooks round the loop, the model call and the tool call, and how they are composed.
import type { Json, JsonObject, ToolCall } from '../messages/message.ts';
import type { StateDelta, ThreadState } from '../messages/thread-state.ts';
import type { ModelError, ModelPart, ModelRequest } from '../models/model.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import type { AgentEvent, AgentStop } from './agent-event.ts';

export interface HookContext {
  readonly threadId: string;
  readonly runId: string;
  readonly userId: string;
  readonly state: ThreadState;
  readonly signal: AbortSignal;
}

/** What a hook changed, and what the run reports of its work: traces and model calls of its own. */
export interface HookEffect {
  readonly delta?: StateDelta;
  readonly events?: readonly AgentEvent[];
  /** Of `afterModel`, with a delta: the model has said its last word, and is called once more. */
  readonly asksAgain?: true;
  /** Of `beforeModel`: the model is not called any more, and the run ends so. */
  readonly stop?: AgentStop;
}

/** What a middleware decided about the calls of an answer, before any of them runs. */
export interface ToolReview {
  /** The calls to run, in their order, perhaps with other arguments. */
  readonly calls: readonly ToolCall[];
  /** Calls that are answered with a refusal instead; the sentence is for the model. */
  readonly refused: readonly { readonly call: ToolCall; readonly message: string }[];
  readonly values?: JsonObject;
}

export interface ReviewContext extends HookContext {
  /** As `ToolContext.interrupt`. */
  readonly interrupt: (value: Json) => Json;
}

/** A hook that takes its time is a generator: what it yields is reported at once. */
type HookWork = Promise<HookEffect | undefined> | AsyncGenerator<AgentEvent, HookEffect | undefined, void>;
type Hook = (context: HookContext) => HookWork;
type ModelStream = (request: ModelRequest) => AsyncIterable<ModelPart>;
type ToolRun = (call: ToolCall) => Promise<ToolOutcome>;

/**
 * Every hook is optional. The first middleware is the outermost: its `before` hooks and wrappers come first, its
 * `after` hooks last. A hook that fails fails the run, so a middleware catches what it can live with.
 */
export interface Middleware {
  /** Also the node name of its steps: `<name>.before_agent` and so on. */
  readonly name: string;
  readonly beforeAgent?: Hook;
  readonly beforeModel?: Hook;
  readonly afterModel?: Hook;
  readonly afterAgent?: Hook;
  /** What the model is asked, before the call is reported and made. Pure. */
  readonly shapeRequest?: (request: ModelRequest, state: ThreadState) => ModelRequest;
  /** A call failed before the model said anything: values of the state with which it is worth one more try. */
  readonly afterModelFailure?: (
    error: ModelError,
    context: HookContext,
  ) => AsyncGenerator<AgentEvent, JsonObject | undefined, void>;
  /** Sees the calls before they run, and may ask the person about them. */
  readonly reviewTools?: (calls: readonly ToolCall[], context: ReviewContext) => Promise<ToolReview>;
  /** Behind what is reported of the call. */
  readonly wrapModelCall?: (
    request: ModelRequest,
    next: ModelStream,
    context: HookContext,
  ) => AsyncIterable<ModelPart>;
  readonly wrapToolCall?: (call: ToolCall, next: ToolRun) => Promise<ToolOutcome>;
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

/** The hooks of one kind in the order in which they run, with the node name of each. */
export function hooksOf(middleware: readonly Middleware[], name: HookName): readonly NamedHook[] {
  const ordered = name.startsWith('after') ? middleware.toReversed() : middleware;
  return ordered.flatMap((it) => {
    const hook = it[name];
    return hook === undefined ? [] : [{ node: `${it.name}.${NODE_SUFFIX[name]}`, run: hook }];
  });
}

/** Reports what the hook reports, and answers its effect. */
export async function* effectOf(work: HookWork): AsyncGenerator<AgentEvent, HookEffect | undefined, void> {
  return 'next' in work ? yield* work : await work;
}

export function shapedRequest(
  middleware: readonly Middleware[],
  request: ModelRequest,
  state: ThreadState,
): ModelRequest {
  return middleware.reduce((shaped, it) => it.shapeRequest?.(shaped, state) ?? shaped, request);
}

/** The first remedy that a middleware knows; `undefined` when the failure stands. */
export async function* remedyFor(
  middleware: readonly Middleware[],
  error: ModelError,
  context: HookContext,
): AsyncGenerator<AgentEvent, JsonObject | undefined, void> {
  for (const { afterModelFailure } of middleware) {
    const values = afterModelFailure && (yield* afterModelFailure(error, context));
    if (values !== undefined) return values;
  }
  return undefined;
}

export function composeModelCall(
  middleware: readonly Middleware[],
  innermost: ModelStream,
  context: HookContext,
): ModelStream {
  return middleware.reduceRight<ModelStream>((next, { wrapModelCall }) => {
    return wrapModelCall === undefined ? next : (request) => wrapModelCall(request, next, context);
  }, innermost);
}

export function composeToolCall(middleware: readonly Middleware[], innermost: ToolRun): ToolRun {
  return middleware.reduceRight<ToolRun>((next, { wrapToolCall }) => {
    return wrapToolCall === undefined ? next : (call) => wrapToolCall(call, next);
  }, innermost);
}
