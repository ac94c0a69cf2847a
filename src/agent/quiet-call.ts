// A model call that a middleware makes for itself. It is recorded and counted, but its output is not shown.
import { humanMessage, textOf } from '../messages/message.ts';
import type { Model } from '../models/model.ts';
import type { AgentEvent, Caller, Emit } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';
import { callModel, type ModelOutcome } from './call-model.ts';

const REPLY_TIME_LIMIT_MS = 30_000;

interface QuietQuestion {
  readonly caller: Caller;
  readonly model: Model;
  readonly budget?: CallBudget | undefined;
  readonly system: string;
  readonly text: string;
  /** Ends the call when its reply is no longer needed or takes too long. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Asks one question, without tools and thinking. As `callModel`, but emits only events about model calls. */
export function quietCall(question: QuietQuestion, emit: Emit): Promise<ModelOutcome> {
  const { caller, model, budget, system, text, signal, now, newId } = question;
  const messageId = newId();
  const request = { system, messages: [humanMessage(newId(), text)], tools: [], thinking: false, signal };
  const stream = async () => model.stream(request);
  return callModel({ caller, budget, model: model.info, messageId, request, stream, now }, (event) =>
    event.type.startsWith('model_call_') ? emit(event) : undefined,
  );
}

interface QuietReply {
  /** The reply without the model's thoughts in it; empty when the call failed. */
  readonly text: string;
  /** For the record and the totals. */
  readonly events: readonly AgentEvent[];
}

/** Makes a quiet call, within half a minute. Never rejects because of the model. */
export async function askQuietly({
  signal,
  ...question
}: Omit<QuietQuestion, 'signal'> & { readonly signal?: AbortSignal }): Promise<QuietReply> {
  const limit = AbortSignal.timeout(REPLY_TIME_LIMIT_MS);
  const limited = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const events: AgentEvent[] = [];
  const outcome = await quietCall({ ...question, signal: limited }, (event) => {
    events.push(event);
    return undefined;
  });
  const said = outcome.kind === 'answered' ? textOf(outcome.message.content) : '';
  return { text: withoutThoughts(said), events };
}

/** Returns the reply without the thoughts that the model wrote into it. */
export function withoutThoughts(text: string): string {
  const parts = text.split('</think>');
  const last = parts.pop() ?? '';
  const pieces = parts.map((part) => {
    const start = part.indexOf('<think>');
    return start < 0 ? `${part}</think>` : part.slice(0, start);
  });
  return [...pieces, last].join('').trim();
}

const BRACKETS = { array: ['[', ']'], object: ['{', '}'] } as const;

/** Returns the JSON in a reply, around which models put words and fences; `undefined` when there is none. */
export function jsonIn(response: string, kind: keyof typeof BRACKETS): unknown {
  const [open, close] = BRACKETS[kind];
  try {
    return JSON.parse(response.slice(response.indexOf(open), response.lastIndexOf(close) + 1));
  } catch {
    return undefined;
  }
}
