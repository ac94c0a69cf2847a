// A model call that a middleware makes for itself: it is recorded and counted, but its output is not shown.
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
  /** Ends the call: nobody needs the answer any more, or it takes too long. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * Asks one thing, without tools and thinking. As `callModel`; emits the beginnings and ends of its calls alone, and which
 * model was asked instead.
 */
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
  /** What the model said, without what it thought aloud; empty when it failed. */
  readonly text: string;
  /** For the record and the totals. */
  readonly events: readonly AgentEvent[];
}

/** A quiet call as a whole. Resolves within half a minute; never rejects for what a model does. */
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

/** The answer without what the model thought aloud in it. */
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

/** The JSON that an answer has; models put words and fences around it. `undefined` for what is none. */
export function jsonIn(response: string, kind: keyof typeof BRACKETS): unknown {
  const [open, close] = BRACKETS[kind];
  try {
    return JSON.parse(response.slice(response.indexOf(open), response.lastIndexOf(close) + 1));
  } catch {
    return undefined;
  }
}
