// A model call that a middleware makes for itself. It is recorded and counted, but its output is not shown.
import { humanMessage, textOf } from '../messages/message.ts';
import type { Model } from '../models/model.ts';
import type { AgentEvent, Caller, Emit } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';
import { callModel, type ModelOutcome } from './call-model.ts';

const REPLY_TIME_LIMIT_MS = 30_000;

/** What quiet calls are made with. */
export interface QuietParts {
  readonly model: Model;
  readonly budget?: CallBudget | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

interface QuietQuestion {
  readonly caller: Caller;
  readonly system: string;
  readonly text: string;
  /** Ends the call when its reply is no longer needed or takes too long. */
  readonly signal: AbortSignal;
}

/** `text` is the reply without the model's thoughts in it. */
type QuietOutcome =
  | Exclude<ModelOutcome, { readonly kind: 'answered' }>
  | { readonly kind: 'answered'; readonly text: string };

/** Asks one question, without tools and thinking. As `callModel`, but emits only events about model calls. */
export async function quietCall(
  { model, budget, now, newId }: QuietParts,
  { caller, system, text, signal }: QuietQuestion,
  emit: Emit,
): Promise<QuietOutcome> {
  const messageId = newId();
  const request = { system, messages: [humanMessage(newId(), text)], tools: [], thinking: false, signal };
  const stream = async () => model.stream(request);
  const call = { caller, budget, model: model.info, messageId, request, stream, now };
  const outcome = await callModel(call, (event) =>
    event.type.startsWith('model_call_') ? emit(event) : undefined,
  );
  if (outcome.kind !== 'answered') return outcome;
  return { kind: 'answered', text: withoutThoughts(textOf(outcome.message.content)) };
}

interface QuietReply {
  /** As in `QuietOutcome`; empty when the call failed. */
  readonly text: string;
  /** For the record and the totals. */
  readonly events: readonly AgentEvent[];
}

/** Makes a quiet call, within half a minute. Never rejects because of the model. */
export async function askQuietly(
  parts: QuietParts,
  { signal, ...question }: Omit<QuietQuestion, 'signal'> & { readonly signal?: AbortSignal },
): Promise<QuietReply> {
  const limit = AbortSignal.timeout(REPLY_TIME_LIMIT_MS);
  const limited = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const events: AgentEvent[] = [];
  const outcome = await quietCall(parts, { ...question, signal: limited }, (event) => {
    events.push(event);
    return undefined;
  });
  return { text: outcome.kind === 'answered' ? outcome.text : '', events };
}

/** Returns the reply without the thoughts that the model wrote into it. */
function withoutThoughts(text: string): string {
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
