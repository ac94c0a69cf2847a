// Adds the usage of model calls to the days of the owners.
import { sql } from 'kysely';
import { dayOf, type SpentCall } from '../../usage.ts';
import { createBulkStatement, type SqlValue } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';

/** The usage of the calls of one owner. */
interface OwnedCalls {
  readonly userId: string | null;
  readonly spent: readonly SpentCall[];
}

export type AddUsage = (trx: WriteTransaction, changes: readonly OwnedCalls[]) => Promise<void>;

/** The numbers of a row, in the order of its columns. */
type Counts = readonly number[];

const NO_CURRENCY = '';
const KEY_COLUMNS = 4;
const COLUMNS = 10;

export function createAddUsage(database: Database): AddUsage {
  const row = sql`(${sql.join(Array.from({ length: COLUMNS }, () => null))})`;
  const upsert = createBulkStatement<never>(
    database.queries,
    row,
    (rows) => sql`
      insert into usage_days (user_id, day, model, currency,
        calls, tokens, input_tokens, cached_input_tokens, output_tokens, cost_nanos)
      values ${rows}
      on conflict (user_id, day, model, currency) do update set
        calls = usage_days.calls + excluded.calls,
        tokens = usage_days.tokens + excluded.tokens,
        input_tokens = usage_days.input_tokens + excluded.input_tokens,
        cached_input_tokens = usage_days.cached_input_tokens + excluded.cached_input_tokens,
        output_tokens = usage_days.output_tokens + excluded.output_tokens,
        cost_nanos = usage_days.cost_nanos + excluded.cost_nanos`,
  );
  return async (trx, changes) => {
    if (changes.every(({ spent }) => spent.length === 0)) return;
    await upsert(trx, rowsOf(changes));
  };
}

/** Returns each row once, in the same order in every process, so that writers cannot deadlock. */
function rowsOf(changes: readonly OwnedCalls[]): readonly (readonly SqlValue[])[] {
  const rows = new Map<string, readonly SqlValue[]>();
  for (const { userId, spent } of changes) {
    if (userId === null) continue;
    for (const call of spent) {
      const [currency = NO_CURRENCY] = Object.keys(call.cost);
      const key = [userId, dayOf(call.at), call.model, currency];
      const text = JSON.stringify(key);
      rows.set(text, [...key, ...sumOf(rows.get(text)?.slice(KEY_COLUMNS), countsOf(call))]);
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, values]) => values);
}

function countsOf(call: SpentCall): Counts {
  const [nanos = 0] = Object.values(call.cost);
  return [1, call.tokens, call.inputTokens, call.cachedInputTokens, call.outputTokens, nanos];
}

function sumOf(before: readonly SqlValue[] | undefined, counts: Counts): Counts {
  return counts.map((count, index) => count + Number(before?.[index] ?? 0));
}
