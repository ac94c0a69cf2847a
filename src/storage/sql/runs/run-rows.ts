// The row of a run as the record of the port, and back.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isJsonObject, type Json } from '../../../messages/message.ts';
import type { Money } from '../../../messages/money.ts';
import { COUNT_COLUMNS, columnsOfCounts, countsIn } from '../../run-counts.ts';
import type { FormerHead, ModelUsage, RunCancel, RunEpoch, RunRecord } from '../../runs.ts';
import { parseJsonObject } from '../database/json-column.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import type { RunsTable } from '../database/run-tables.ts';

export type RunRow = Pick<Selectable<RunsTable>, (typeof RUN_COLUMNS)[number]>;

/** Columns that hold the fields of a record as they are. */
const PLAIN = plainColumns([
  'run_id',
  'thread_id',
  'user_id',
  'assistant_id',
  'status',
  'multitask_strategy',
  'follow_up_to_run_id',
  'attempt',
  'lease_owner',
  'base_checkpoint_id',
  'start_after',
  'stop_reason',
  'error',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'numbers_from',
]);

/** The columns that a record is made of; the others are storage's own. */
export const RUN_COLUMNS = [
  ...PLAIN.names,
  'metadata',
  'kwargs',
  'epochs',
  'former_head_id',
  'cancel_action',
  'cancel_stop_reason',
  ...COUNT_COLUMNS,
  'token_usage_by_model',
] as const satisfies readonly (keyof RunsTable)[];

export function toRun(row: RunRow): RunRecord {
  return {
    ...PLAIN.fieldsOf(row),
    metadata: parseJsonObject(row.metadata),
    kwargs: parseJsonObject(unpackText(row.kwargs)),
    epochs: toEpochs(row.epochs),
    formerHead: toFormerHead(row.former_head_id),
    cancel: toCancel(row),
    totals: { ...countsIn(row), tokenUsageByModel: toUsageByModel(row.token_usage_by_model) },
  };
}

/** `kwargs`: those of the record as they are stored, which may be megabytes. */
export function toRunRow(run: RunRecord, kwargs: PackedText): RunRow {
  return {
    ...PLAIN.columnsOf(run),
    metadata: JSON.stringify(run.metadata),
    kwargs,
    epochs: fromEpochs(run.epochs),
    former_head_id: fromFormerHead(run.formerHead),
    cancel_action: run.cancel?.action ?? null,
    cancel_stop_reason: run.cancel?.stopReason ?? null,
    ...columnsOfCounts(run.totals),
    token_usage_by_model: JSON.stringify(run.totals.tokenUsageByModel),
  };
}

function toFormerHead(id: string | null): FormerHead | undefined {
  return id === null ? undefined : { checkpointId: id === '' ? null : id };
}

export function fromFormerHead(head: FormerHead | undefined): string | null {
  return head === undefined ? null : (head.checkpointId ?? '');
}

function toCancel({ cancel_action, cancel_stop_reason }: RunRow): RunCancel | null {
  if (cancel_action === null || cancel_stop_reason === null) return null;
  return { action: cancel_action, stopReason: cancel_stop_reason };
}

/** What `token_usage_by_model` holds. */
export function toUsageByModel(text: string): Record<string, ModelUsage> {
  const stored = parseJsonObject(text);
  return Object.fromEntries(Object.entries(stored).map(([model, usage]) => [model, toUsage(usage)]));
}

function toMoney(stored: Json): Money {
  const amounts = isJsonObject(stored) ? stored : {};
  return Object.fromEntries(Object.entries(amounts).map(([currency, nanos]) => [currency, Number(nanos)]));
}

function toUsage(stored: Json): ModelUsage {
  const usage = isJsonObject(stored) ? stored : {};
  return {
    tokens: Number(usage.tokens ?? 0),
    inputTokens: Number(usage.inputTokens ?? 0),
    cachedInputTokens: Number(usage.cachedInputTokens ?? 0),
    outputTokens: Number(usage.outputTokens ?? 0),
    calls: Number(usage.calls ?? 0),
    cost: toMoney(usage.cost ?? {}),
  };
}

/** For a row of `runs` that is being claimed: its epochs, and a new one behind all that its log holds. */
export function withEpoch(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`
    coalesce(runs.epochs || ' ', '') || cast(1 + coalesce((
      select last_seq from run_frames where run_frames.run_id = runs.run_id order by first_seq desc limit 1
    ), 0) as text) || ':' || cast(${name} as text)`;
}

/** `1:3f9a2c41 31:77aa10be`: each epoch with the place of its first event. */
function fromEpochs(epochs: readonly RunEpoch[]): string | null {
  if (epochs.length === 0) return null;
  return epochs.map(({ firstSeq, name }) => `${firstSeq}:${name}`).join(' ');
}

/** Of a row as it is stored. */
export function toEpochs(text: string | null): readonly RunEpoch[] {
  if (text === null) return [];
  return text.split(' ').map((epoch) => {
    const [firstSeq = '', name = ''] = epoch.split(':');
    return { firstSeq: Number(firstSeq), name };
  });
}
