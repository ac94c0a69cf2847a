// Sums the totals of a run from its model calls. It shares no code with the live counters, so that the check
// compares two independent results.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { addMoney, type Money, NO_MONEY } from '../../../messages/money.ts';
import type { CountColumn } from '../../run-counts.ts';
import type { ModelUsage } from '../../runs.ts';
import type { Connection } from '../database/database.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import type { RunEventsTable } from '../database/run-tables.ts';

type CallColumn = Exclude<CountColumn, 'message_count'>;

/** The sums have the names of the columns of a run's row. */
export interface FoldedRun extends Readonly<Record<CallColumn, number>> {
  /** `undefined` when the record does not name the model of a call. */
  readonly models: Readonly<Record<string, ModelUsage>> | undefined;
  /** The lowest index of a call; above 1, retention has removed some. */
  readonly firstCall: number;
}

export const NO_CALLS: FoldedRun = {
  total_input_tokens: 0,
  total_output_tokens: 0,
  total_tokens: 0,
  llm_call_count: 0,
  lead_agent_tokens: 0,
  subagent_tokens: 0,
  middleware_tokens: 0,
  models: {},
  firstCall: Number.POSITIVE_INFINITY,
};

/** An `llm_response` or `llm_error`. */
interface CallEvent
  extends Pick<
    RunEventsTable,
    'thread_id' | 'seq' | 'run_id' | 'user_id' | 'created_at' | 'event_type' | 'metadata'
  > {
  /** The content, if the metadata does not name the model. */
  readonly text: PackedText | null;
}

/** Returns the first `limit` model calls in the record for which the condition holds, by thread and `seq`. */
export async function readCalls(
  db: Connection,
  condition: RawBuilder<SqlBool>,
  limit: number,
): Promise<readonly CallEvent[]> {
  const { rows } = await sql<CallEvent>`
    select run_events.thread_id, run_events.seq, run_events.run_id, run_events.user_id,
      run_events.created_at, run_events.event_type, run_events.metadata,
      case when run_events.metadata like '%"model":%' then null
        else coalesce(run_events.content, trace_contents.content) end as text
    from run_events left join trace_contents on trace_contents.thread_id = run_events.thread_id
      and trace_contents.content_key = run_events.content_key
    where ${condition} and run_events.event_type in ('llm_response', 'llm_error')
    order by run_events.thread_id, run_events.seq limit ${limit}`.execute(db);
  return rows;
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

interface FoldedCall {
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
  const column = columnOf(caller);
  return {
    ...run,
    total_input_tokens: run.total_input_tokens + took.inputTokens,
    total_output_tokens: run.total_output_tokens + took.outputTokens,
    total_tokens: run.total_tokens + tokens,
    llm_call_count: run.llm_call_count + 1,
    [column]: run[column] + tokens,
    models: withModel(run.models, model, took),
    firstCall,
  };
}

/** Returns the column that counts the tokens of this caller. */
function columnOf(caller: string): CallColumn {
  const [kind] = caller.split(':');
  return kind === 'subagent' || kind === 'middleware' ? `${kind}_tokens` : 'lead_agent_tokens';
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
  return cost == null ? NO_MONEY : { [cost.currency]: Math.round(cost.amount * NANOS) };
}

/** Reads the model from the beginning of the completion, whose end may be cut off. */
function modelIn(text: PackedText | null): string | undefined {
  if (text === null) return undefined;
  const beginning = unpackText(text).slice(0, 2_000);
  const [, model] = /^\{"id":"[^"]*","model":("(?:[^"\\]|\\.)*")/.exec(beginning) ?? [];
  return model === undefined ? undefined : z.string().parse(JSON.parse(model));
}
