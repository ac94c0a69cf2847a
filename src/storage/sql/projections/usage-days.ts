// Checks the usage by day and model, which is never less than what the record still shows.
import { type SqlBool, sql } from 'kysely';
import type { Difference, VerifyOptions } from '../../projections.ts';
import type { ModelUsage } from '../../runs.ts';
import { dayOf } from '../../usage.ts';
import type { Database } from '../database/database.ts';
import { plainColumns } from '../database/plain-columns.ts';
import type { UsageDaysTable } from '../database/tables.ts';
import { callIn, readCalls, sumOf } from './folded-run.ts';

export const USAGE_DAYS = 'usage by day';

/**
 * Yields usage that is less than the record shows. More is correct, because usage remains when threads are
 * deleted. Users who have imported threads are omitted, because another user may have paid for the calls in
 * these. The sums are held in memory, as many as the table has rows. The record is read in pages, and each
 * sum is compared in a separate transaction.
 */
export async function* verifyUsageDays(
  database: Database,
  { repair }: Pick<VerifyOptions, 'repair'>,
): AsyncGenerator<Difference> {
  for (const [key, folded] of await foldDays(database)) {
    const [userId = '', day = '', model = '', currency = ''] = key.split('\n');
    const place = { user_id: userId, day, model, currency };
    const columns = { ...AMOUNTS.columnsOf(folded), cost_nanos: folded.cost[currency] ?? 0 };
    const what = `${day} of user ${userId} with model ${model}`;
    const less = await verifyDay(database, { place, columns, repair });
    if (less === undefined) continue;
    yield {
      projection: USAGE_DAYS,
      threadId: null,
      runId: null,
      what,
      stored: less,
      folded: JSON.stringify(columns),
      isMended: repair,
    };
  }
}

const EVENTS_AT_ONCE = 500;

/** Returns sums by user, day, model and currency, which the key joins with line breaks. */
async function foldDays(database: Database): Promise<ReadonlyMap<string, ModelUsage>> {
  const importers = await whoImported(database);
  const days = new Map<string, ModelUsage>();
  let after = { thread_id: '', seq: 0 };
  for (;;) {
    const condition = sql<SqlBool>`run_events.user_id is not null
      and (run_events.thread_id, run_events.seq) > (${after.thread_id}, ${after.seq})`;
    const page = await database.read((db) => readCalls(db, condition, EVENTS_AT_ONCE));
    for (const event of page) {
      const { model, took } = callIn(event);
      after = event;
      if (model === undefined || took === undefined || importers.has(event.user_id)) continue;
      const [currency = ''] = Object.keys(took.cost);
      const key = [event.user_id, dayOf(event.created_at), model, currency].join('\n');
      const before = days.get(key);
      days.set(key, before === undefined ? took : sumOf(before, took));
    }
    if (page.length < EVENTS_AT_ONCE) return days;
  }
}

function whoImported(database: Database): Promise<ReadonlySet<string | null>> {
  return database.read(async (db) => {
    const imports = db.selectFrom('audit_log').select('subject').distinct().where('act', '=', 'import');
    return new Set((await imports.execute()).map(({ subject }) => subject));
  });
}

type Place = Pick<UsageDaysTable, 'user_id' | 'day' | 'model' | 'currency'>;
type Columns = Omit<UsageDaysTable, keyof Place>;

const AMOUNTS = plainColumns(['calls', 'tokens', 'input_tokens', 'cached_input_tokens', 'output_tokens']);
const COLUMNS = [...AMOUNTS.names, 'cost_nanos'] as const;

/** Returns what is stored, when any of it is too little. */
function verifyDay(
  database: Database,
  { place, columns, repair }: { readonly place: Place; readonly columns: Columns; readonly repair: boolean },
): Promise<string | undefined> {
  return database.write(async (trx) => {
    const row = trx
      .selectFrom('usage_days')
      .select(COLUMNS)
      .where((eb) => eb.and(place));
    const stored = await database.locked(row).executeTakeFirst();
    if (stored !== undefined && COLUMNS.every((column) => stored[column] >= columns[column]))
      return undefined;
    if (repair) {
      const raised = Object.fromEntries(
        COLUMNS.map((column) => [column, Math.max(stored?.[column] ?? 0, columns[column])]),
      );
      const write = trx.insertInto('usage_days').values({ ...place, ...columns, ...raised });
      await write
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'day', 'model', 'currency']).doUpdateSet(raised),
        )
        .execute();
    }
    return stored === undefined ? 'nothing' : JSON.stringify(stored);
  });
}
