// One model call of the loop: streams the answer as events and says how it ended.

import { type Breath, createBreath, LONG_CALL_MS } from '../breath.ts';
import { type AiMessage, aiMessage, type JsonObject } from '../messages/message.ts';
import { promptCounting, promptTexts } from '../messages/prompt-texts.ts';
import {
  ModelError,
  type ModelFinish,
  type ModelInfo,
  type ModelPart,
  type ModelRequest,
} from '../models/model.ts';
import type { AgentInput } from './agent.ts';
import type {
  AgentEvent,
  Caller,
  CustomProgress,
  MessageDelta,
  MessageEnd,
  ModelCallEnd,
} from './agent-event.ts';
import type { BudgetScope, CallBudget } from './call-budget.ts';
import { countedUsage, estimatedUsage, expectedUsage, type Said } from './call-usage.ts';

type ModelSwitch = Extract<ModelPart, { type: 'switch' }>;

export interface ModelCall {
  readonly caller: Caller;
  readonly model: ModelInfo;
  readonly messageId: string;
  readonly request: ModelRequest;
  readonly stream: (request: ModelRequest) => AsyncIterable<ModelPart>;
  readonly now: () => number;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
  /** Takes the pieces of the answer; absent: they are yielded. */
  readonly tell?: AgentInput['tell'] | undefined;
}

/** `partial` is what the model had said before the call ended; absent when it had said nothing. */
export type ModelOutcome =
  /** The call was not made. */
  | {
      readonly kind: 'refused';
      readonly budget: BudgetScope;
      readonly message: string;
      readonly partial: undefined;
    }
  | { readonly kind: 'answered'; readonly message: AiMessage }
  | { readonly kind: 'aborted'; readonly partial: AiMessage | undefined }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly partial: AiMessage | undefined };

/** The model said nothing and called nothing; `end` tells of the message if it is to stay. */
interface EmptyAnswer {
  readonly kind: 'empty';
  readonly message: AiMessage;
  readonly end: MessageEnd;
}

/** An answer that breaks off or is empty is asked for once more; the first try gives way to the second. */
const MAX_TRIES = 2;

/** Calls the model. Failures of the model and aborts are outcomes; nothing is thrown for them. */
export async function* callModel(call: ModelCall): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  for (let attempt = 1; ; attempt++) {
    const outcome = yield* permittedTry(call);
    const isLast = attempt >= MAX_TRIES || call.request.signal.aborted;
    if (isLast || !isWorthAnother(outcome)) return outcome.kind === 'empty' ? yield* kept(outcome) : outcome;
    if (outcome.kind !== 'answered' && isShown(outcome))
      yield { type: 'message_restart', messageId: call.messageId };
  }
}

function isWorthAnother(outcome: Tried): boolean {
  return outcome.kind === 'empty' || (outcome.kind === 'failed' && outcome.error.kind === 'broken_stream');
}

/** Whether readers have seen something of it. */
function isShown(outcome: Exclude<Tried, { readonly kind: 'answered' }>): boolean {
  return outcome.kind === 'empty'
    ? outcome.message.additional_kwargs.reasoning_content !== undefined
    : outcome.partial !== undefined;
}

/** A model may have nothing to add when its work is done. */
function* kept({ message, end }: EmptyAnswer): Generator<AgentEvent, ModelOutcome, void> {
  yield end;
  return { kind: 'answered', message };
}

type Tried = ModelOutcome | EmptyAnswer;

/** Nothing is asked, and nothing waited for, where nothing is limited. */
async function* permittedTry(call: ModelCall): AsyncGenerator<AgentEvent, Tried, void> {
  const { budget, model, request } = call;
  if (budget === undefined) return yield* tryModel(call);
  const reservation = await budget.reserve(expectedUsage(model, request));
  if (reservation.kind === 'refused') return { ...reservation, partial: undefined };
  try {
    return yield* tryModel(call);
  } finally {
    reservation.release();
  }
}

/** A call that was begun, and what was said so far. A `switch` gives it another model. */
interface OpenCall extends CallSoFar {
  call: ModelCall;
  startedAt: number;
}

async function* tryModel(call: ModelCall): AsyncGenerator<AgentEvent, Tried, void> {
  const said: Said = { text: '', reasoning: '', callCharacters: 0 };
  const open: OpenCall = { call, said, startedAt: call.now() };
  const breath = createBreath(LONG_CALL_MS);
  await counted(call.request, breath);
  yield callStart(call);
  await breath();
  try {
    return yield* listenedTo(open);
  } catch (error) {
    return yield* failedCall(open.call, open, error);
  }
}

async function* listenedTo(open: OpenCall): AsyncGenerator<AgentEvent, Tried, void> {
  const { said } = open;
  const { messageId, tell, stream, request } = open.call;
  for await (const part of stream(request)) {
    if (part.type === 'finish') return yield* finished(open, part);
    if (part.type === 'switch') {
      yield* switched(open, part);
      continue;
    }
    const event = progressOf(messageId, said, part);
    if (event.type === 'custom' || tell === undefined) yield event;
    else {
      const wait = tell(event);
      if (wait !== undefined) await wait;
    }
  }
  throw new ModelError('broken_stream', 'The model ended its answer without saying that it was finished.');
}

function* finished(open: OpenCall, finish: ModelFinish): Generator<AgentEvent, Tried, void> {
  const { call, said, startedAt } = open;
  const { messageId } = call;
  const message = answer(call, said, finish);
  yield callEnd(call, { said, finish, startedAt });
  const { response_metadata: responseMetadata } = message;
  const end = { type: 'message_end', messageId, usage: finish.usage, responseMetadata } as const;
  if (isEmpty(message, finish)) return { kind: 'empty', message, end };
  yield end;
  return { kind: 'answered', message };
}

/** What a provider holds back is not asked for again. */
function isEmpty({ content, tool_calls }: AiMessage, { finishReason }: ModelFinish): boolean {
  return content === '' && tool_calls.length === 0 && finishReason !== 'content_filter';
}

function callStart({ caller, model, messageId, request }: ModelCall): AgentEvent {
  return {
    type: 'model_call_start',
    caller,
    model: model.name,
    messageId,
    prompt: () => promptTexts(request),
  };
}

function* switched(open: OpenCall, part: ModelSwitch): Generator<AgentEvent, void, void> {
  const { caller } = open.call;
  const { failed, kind, reason: message, model } = part;
  yield { type: 'model_call_failed', caller, model: failed, kind, message };
  yield { type: 'model_call_switched', caller, failed, model: model.name, message };
  yield { type: 'custom', data: { type: 'model_fallback', from: failed, to: model.name, reason: message } };
  open.call = { ...open.call, model };
  open.startedAt = open.call.now();
  yield callStart(open.call);
}

/** What the record says of a long prompt is made ready with turns for others in between. */
async function counted({ messages }: ModelRequest, breath: Breath): Promise<void> {
  for (const _ of promptCounting(messages)) {
    const wait = breath();
    if (wait !== undefined) await wait;
  }
  await breath();
}

function progressOf(
  messageId: string,
  said: Said,
  part: Exclude<ModelPart, ModelFinish | ModelSwitch>,
): MessageDelta | CustomProgress {
  switch (part.type) {
    case 'text_delta':
      said.text += part.text;
      return { ...part, messageId };
    case 'reasoning_delta':
      said.reasoning += part.text;
      return { ...part, messageId };
    case 'tool_call_delta':
      said.callCharacters += part.args.length + (part.name?.length ?? 0);
      return { ...part, messageId };
    case 'retry':
      return {
        type: 'custom',
        data: {
          type: 'llm_retry',
          attempt: part.attempt,
          max_attempts: part.maxAttempts,
          wait_ms: part.waitMs,
          reason: part.reason,
        },
      };
    default:
      return part satisfies never;
  }
}

function answer(call: ModelCall, said: Said, finish: ModelFinish): AiMessage {
  return aiMessage(call.messageId, said.text, {
    additional_kwargs: additionalFields(said, finish.providerMetadata),
    response_metadata: { model_name: call.model.name, finish_reason: finish.finishReason },
    tool_calls: finish.toolCalls,
    usage_metadata: finish.usage,
  });
}

function additionalFields(said: Said, providerMetadata: JsonObject | undefined): JsonObject {
  return {
    ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
    ...(providerMetadata === undefined ? {} : { provider_metadata: providerMetadata }),
  };
}

interface CallSoFar {
  readonly said: Said;
  readonly startedAt: number;
}

const CUT_SHORT = { finishReason: 'interrupted', toolCalls: [], usage: null } as const;

/** `finish` is absent when the call was cut short. */
function callEnd(call: ModelCall, ended: CallSoFar & { readonly finish?: ModelFinish }): ModelCallEnd {
  const { said, startedAt, finish: { finishReason, toolCalls, usage } = CUT_SHORT } = ended;
  const { caller, messageId, model, request, now } = call;
  return {
    type: 'model_call_end',
    caller,
    model: model.name,
    messageId,
    content: said.text,
    toolCalls,
    finishReason,
    ...(usage === null ? estimatedUsage(model, request, said) : countedUsage(model, usage)),
    latencyMs: now() - startedAt,
  };
}

async function* failedCall(
  call: ModelCall,
  soFar: CallSoFar,
  error: unknown,
): AsyncGenerator<AgentEvent, ModelOutcome, void> {
  const { said } = soFar;
  const aborted = call.request.signal.aborted;
  const hasBegun = said.text !== '' || said.reasoning !== '' || said.callCharacters > 0;
  const partial = partialAnswer(call, said, aborted ? 'interrupted' : 'error');
  if (aborted) {
    if (hasBegun) yield callEnd(call, soFar);
    return { kind: 'aborted', partial };
  }
  if (!(error instanceof ModelError)) throw error;
  const { kind, message } = error;
  const spent = hasBegun ? { spent: estimatedUsage(call.model, call.request, said) } : {};
  const { caller, model } = call;
  yield { type: 'model_call_failed', caller, model: model.name, kind, message, ...spent };
  return { kind: 'failed', error, partial };
}

function partialAnswer(call: ModelCall, said: Said, reason: 'interrupted' | 'error'): AiMessage | undefined {
  if (said.text === '' && said.reasoning === '') return undefined;
  return aiMessage(call.messageId, said.text, {
    additional_kwargs: additionalFields(said, undefined),
    response_metadata: { model_name: call.model.name, finish_reason: reason },
  });
}
