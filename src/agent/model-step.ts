// The model call of a step: shapes the request, makes the call, and repeats it once if there is a remedy.
import { createBreath, LONG_CALL_MS } from '../breath.ts';
import type { JsonObject } from '../messages/message.ts';
import { foldDelta, type ThreadState } from '../messages/thread-state.ts';
import type { Model, ModelRequest, ToolSpec } from '../models/model.ts';
import type { Caller, Emit } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';
import { callModel, type ModelOutcome } from './call-model.ts';
import { type HookContext, type Middleware, remedyFor, sentRequest, shapedRequest } from './middleware.ts';

export interface ModelParts {
  /** The caller to whom its model calls are counted. */
  readonly caller: Caller;
  readonly model: Model;
  readonly tools: readonly ToolSpec[];
  readonly middleware: readonly Middleware[];
  readonly systemPrompt: () => string;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
  readonly now: () => number;
}

interface ModelStep {
  readonly parts: ModelParts;
  readonly context: HookContext;
  readonly messageId: string;
  readonly thinking: boolean;
}

/** How the call ended, and which values of the state were changed for it. */
interface ModelReply {
  readonly outcome: ModelOutcome;
  readonly values: JsonObject;
}

/** Calls the model. A call that failed before any output is repeated once if a middleware has a remedy. */
export async function modelStep(step: ModelStep, emit: Emit): Promise<ModelReply> {
  const { state, signal } = step.context;
  const outcome = await call(step, state, emit);
  if (outcome.kind !== 'failed' || outcome.partial !== undefined) return { outcome, values: {} };
  const values = await remedyFor(
    step.parts.middleware,
    { error: outcome.error, context: step.context },
    emit,
  );
  if (signal.aborted) return { outcome: { kind: 'aborted', partial: undefined }, values: {} };
  if (values === undefined) return { outcome, values: {} };
  const remedied = foldDelta(state, { messages: [], values });
  return { outcome: await call(step, remedied.state, emit), values };
}

async function call(step: ModelStep, state: ThreadState, emit: Emit): Promise<ModelOutcome> {
  const { parts, context, messageId } = step;
  const { caller, middleware, model, budget, now } = parts;
  const breath = createBreath(LONG_CALL_MS);
  const request = shapedRequest(middleware, modelRequest(step, state), state);
  await breath();
  const stream = async () => model.stream(await sentRequest(middleware, request, context));
  return callModel({ caller, budget, model: model.info, messageId, request, stream, now }, emit);
}

function modelRequest({ parts, context, thinking }: ModelStep, { messages }: ThreadState): ModelRequest {
  return {
    system: parts.systemPrompt(),
    messages,
    tools: parts.tools,
    thinking: thinking && parts.model.info.supportsThinking,
    signal: context.signal,
  };
}
