// One model call of the loop: emits the reply as it arrives, and returns how it ended.
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
import type {
  Caller,
  CustomProgress,
  Emit,
  MessageDelta,
  MessageEnd,
  ModelCallEnd,
  ModelCallStart,
} from './agent-event.ts';
import type { BudgetScope, CallBudget } from './call-budget.ts';
import { countedUsage, estimatedUsage, expectedUsage, type Said } from './call-usage.ts';

type ModelSwitch = Extract<ModelPart, { type: 'switch' }>;

export interface ModelCall {
  readonly caller: Caller;
  readonly model: ModelInfo;
  readonly messageId: string;
  readonly request: ModelRequest;
  readonly stream: () => Promise<AsyncIterable<ModelPart>>;
  readonly now: () => number;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
}

/** `partial` is what the model had produced before the call ended; absent when it had produced nothing. */
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

/** A reply without text and tool calls. `end` is emitted if the message is to stay. */
interface EmptyReply {
  readonly kind: 'empty';
  readonly message: AiMessage;
  readonly end: MessageEnd;
}

/** A reply that breaks off or is empty is requested once more; the second try replaces the first. */
const MAX_TRIES = 2;

/** Calls the model. Failures of the model and aborts are outcomes, not exceptions. */
export async function callModel(call: ModelCall, emit: Emit): Promise<ModelOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await permittedTry(call, emit);
    const isLast = attempt >= MAX_TRIES || call.request.signal.aborted;
    if (isLast || !isWorthAnother(outcome)) return outcome.kind === 'empty' ? kept(outcome, emit) : outcome;
    if (outcome.kind !== 'answered' && isShown(outcome))
      await emit({ type: 'message_restart', messageId: call.messageId });
  }
}

function isWorthAnother(outcome: Tried): boolean {
  return outcome.kind === 'empty' || (outcome.kind === 'failed' && outcome.error.kind === 'broken_stream');
}

function isShown(outcome: Exclude<Tried, { readonly kind: 'answered' }>): boolean {
  return outcome.kind === 'empty'
    ? outcome.message.additional_kwargs.reasoning_content !== undefined
    : outcome.partial !== undefined;
}

/** Accepts an empty reply: a model may have nothing to add when its work is done. */
async function kept({ message, end }: EmptyReply, emit: Emit): Promise<ModelOutcome> {
  await emit(end);
  return { kind: 'answered', message };
}

type Tried = ModelOutcome | EmptyReply;

/** Without a budget, reserves nothing and awaits nothing. */
async function permittedTry(call: ModelCall, emit: Emit): Promise<Tried> {
  const { budget, model, request } = call;
  if (budget === undefined) return tryModel(call, emit);
  const reservation = await budget.reserve(expectedUsage(model, request));
  if (reservation.kind === 'refused') return { ...reservation, partial: undefined };
  try {
    return await tryModel(call, emit);
  } finally {
    reservation.release();
  }
}

/** A call in progress, and what the model has produced so far. A `switch` changes its model. */
interface OpenCall {
  call: ModelCall;
  readonly said: Said;
  startedAt: number;
}

async function tryModel(call: ModelCall, emit: Emit): Promise<Tried> {
  const said: Said = { text: '', reasoning: '', callCharacters: 0 };
  const open: OpenCall = { call, said, startedAt: call.now() };
  const breath = createBreath(LONG_CALL_MS);
  await counted(call.request, breath);
  await emit(callStart(call));
  await breath();
  try {
    return await listenedTo(open, emit);
  } catch (error) {
    return failedCall(open, error, emit);
  }
}

async function listenedTo(open: OpenCall, emit: Emit): Promise<Tried> {
  const { said } = open;
  const { messageId, stream } = open.call;
  for await (const part of await stream()) {
    // Awaited here, so that the stream is closed after everything is reported.
    if (part.type === 'finish') return await finished(open, part, emit);
    if (part.type === 'switch') {
      await switched(open, part, emit);
      continue;
    }
    const wait = emit(progressOf(messageId, said, part));
    if (wait !== undefined) await wait;
  }
  throw new ModelError('broken_stream', 'The model ended its reply without a finish reason.');
}

async function finished(open: OpenCall, finish: ModelFinish, emit: Emit): Promise<Tried> {
  const { messageId } = open.call;
  const message = reply(open, finish);
  await emit(callEnd(open, finish));
  const { response_metadata: responseMetadata } = message;
  const end = { type: 'message_end', messageId, usage: finish.usage, responseMetadata } as const;
  const isEmpty = message.content === '' && message.tool_calls.length === 0;
  // A reply that a content filter withheld is not requested again.
  if (isEmpty && finish.finishReason !== 'content_filter') return { kind: 'empty', message, end };
  await emit(end);
  return { kind: 'answered', message };
}

function callStart({ caller, model, messageId, request }: ModelCall): ModelCallStart {
  return {
    type: 'model_call_start',
    caller,
    model: model.name,
    messageId,
    prompt: () => promptTexts(request),
  };
}

async function switched(open: OpenCall, part: ModelSwitch, emit: Emit): Promise<void> {
  const { caller } = open.call;
  const { failed, kind, reason: message, model } = part;
  await emit({ type: 'model_call_failed', caller, model: failed, kind, message });
  await emit({ type: 'model_call_switched', caller, failed, model: model.name, message });
  const data = { type: 'model_fallback', from: failed, to: model.name, reason: message };
  await emit({ type: 'custom', data });
  open.call = { ...open.call, model };
  open.startedAt = open.call.now();
  await emit(callStart(open.call));
}

/** Counts a long prompt for the record, and lets other work run in between. */
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
  }
}

function reply({ call, said }: OpenCall, finish: ModelFinish): AiMessage {
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

const CUT_SHORT = { finishReason: 'interrupted', toolCalls: [], usage: null } as const;

function callEnd(
  { call: { caller, messageId, model, request, now }, said, startedAt }: OpenCall,
  finish: Pick<ModelCallEnd, 'finishReason' | 'toolCalls'> & Pick<ModelFinish, 'usage'>,
): ModelCallEnd {
  const { finishReason, toolCalls, usage } = finish;
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

async function failedCall(open: OpenCall, error: unknown, emit: Emit): Promise<ModelOutcome> {
  const { call, said } = open;
  const aborted = call.request.signal.aborted;
  const hasBegun = said.text !== '' || said.reasoning !== '' || said.callCharacters > 0;
  const partial = partialReply(open, aborted ? 'interrupted' : 'error');
  if (aborted) {
    if (hasBegun) await emit(callEnd(open, CUT_SHORT));
    return { kind: 'aborted', partial };
  }
  if (!(error instanceof ModelError)) throw error;
  const { kind, message } = error;
  const spent = hasBegun ? { spent: estimatedUsage(call.model, call.request, said) } : {};
  const { caller, model } = call;
  await emit({ type: 'model_call_failed', caller, model: model.name, kind, message, ...spent });
  return { kind: 'failed', error, partial };
}

function partialReply({ call, said }: OpenCall, reason: 'interrupted' | 'error'): AiMessage | undefined {
  if (said.text === '' && said.reasoning === '') return undefined;
  return aiMessage(call.messageId, said.text, {
    additional_kwargs: additionalFields(said, undefined),
    response_metadata: { model_name: call.model.name, finish_reason: reason },
  });
}
