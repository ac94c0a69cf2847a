// Sums the totals of a run from its model calls. It shares no code with the live counters, so that the check
// compares two independent results.
import { z } from 'zod';
import { addMoney, type Money, NO_MONEY } from '../../../messages/money.ts';
import type { ModelUsage } from '../../runs.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';

export interface FoldedRun {
  readonly input: number;
  readonly output: number;
  readonly tokens: number;
  readonly calls: number;
  readonly lead: number;
  readonly subagent: number;
  readonly middleware: number;
  /** `undefined` when the record does not name the model of a call. */
  readonly models: Readonly<Record<string, ModelUsage>> | undefined;
  /** The lowest index of a call; above 1, retention has removed some. */
  readonly firstCall: number;
}

export const NO_CALLS: FoldedRun = {
  input: 0,
  output: 0,
  tokens: 0,
  calls: 0,
  lead: 0,
  subagent: 0,
  middleware: 0,
  models: {},
  firstCall: Number.POSITIVE_INFINITY,
};

/** An `llm_response` or `llm_error`. */
export interface CallEvent {
  readonly event_type: string;
  readonly metadata: string;
  /** The content, if the metadata does not name the model. */
  readonly text: PackedText | null;
}

const tokenCount = z.number().default(0);

const callMetadata = z.object({
  caller: z.string(),
  llm_call_index: z.number().default(1),
  model: z.string().optional(),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      total_tokens: tokenCount,
      input_token_details: z.object({ cache_read: tokenCount }).optional(),
    })
    .nullish(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullish(),
});

export interface FoldedCall {
  readonly caller: string;
  readonly index: number;
  /** `undefined` when the record does not name it. */
  readonly model: string | undefined;
  /** `undefined` for a call that failed before it used anything. */
  readonly took: ModelUsage | undefined;
}

export function callIn(event: CallEvent): FoldedCall {
  const { caller, usage, llm_call_index, model, cost } = callMetadata.parse(JSON.parse(event.metadata));
  const call = { caller, index: llm_call_index, model: model ?? modelIn(event.text) };
  if (event.event_type === 'llm_error' && (usage ?? null) === null) return { ...call, took: undefined };
  const inputTokens = usage?.input_tokens ?? 0;
  const outputTokens = usage?.output_tokens ?? 0;
  return {
    ...call,
    took: {
      tokens: usage?.total_tokens || inputTokens + outputTokens,
      inputTokens,
      cachedInputTokens: usage?.input_token_details?.cache_read ?? 0,
      outputTokens,
      calls: 1,
      cost: moneyOf(cost),
    },
  };
}

/** Returns the run with one more call. A failed call counts if it used something. */
export function withCall(run: FoldedRun, { caller, index, model, took }: FoldedCall): FoldedRun {
  const firstCall = Math.min(run.firstCall, index);
  if (took === undefined) return { ...run, firstCall };
  const { tokens } = took;
  const bucket = bucketOf(caller);
  return {
    input: run.input + took.inputTokens,
    output: run.output + took.outputTokens,
    tokens: run.tokens + tokens,
    calls: run.calls + 1,
    lead: run.lead + (bucket === 'lead' ? tokens : 0),
    subagent: run.subagent + (bucket === 'subagent' ? tokens : 0),
    middleware: run.middleware + (bucket === 'middleware' ? tokens : 0),
    models: withModel(run.models, model, took),
    firstCall,
  };
}

function bucketOf(caller: string): 'lead' | 'subagent' | 'middleware' {
  const [kind] = caller.split(':');
  return kind === 'subagent' || kind === 'middleware' ? kind : 'lead';
}

function withModel(
  models: FoldedRun['models'],
  model: string | undefined,
  call: ModelUsage,
): FoldedRun['models'] {
  if (models === undefined || model === undefined) return undefined;
  const before = models[model];
  return { ...models, [model]: before === undefined ? call : sumOf(before, call) };
}

export function sumOf(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    tokens: left.tokens + right.tokens,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    calls: left.calls + right.calls,
    cost: addMoney(left.cost, right.cost),
  };
}

const NANOS = 1_000_000_000;

function moneyOf(cost: { readonly amount: number; readonly currency: string } | null | undefined): Money {
  return cost === null || cost === undefined
    ? NO_MONEY
    : { [cost.currency]: Math.round(cost.amount * NANOS) };
}

/** Reads the model from the beginning of the completion, whose end may be cut off. */
function modelIn(text: PackedText | null): string | undefined {
  if (text === null) return undefined;
  const beginning = unpackText(text).slice(0, 2_000);
  const [, model] = /^\{"id":"[^"]*","model":("(?:[^"\\]|\\.)*")/.exec(beginning) ?? [];
  return model === undefined ? undefined : z.string().parse(JSON.parse(model));
}
