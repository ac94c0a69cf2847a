// Gives what runs took before there were days (0011) to the days on which they ended.
import type { Migration } from './migration.ts';

const COLUMNS = `user_id, day, model, currency, calls, tokens, input_tokens, cached_input_tokens, output_tokens,
  cost_nanos`;
/**
 * Ended before calls were counted by day; whoever imported threads has runs that somebody else may have paid for, and
 * a thread that is still being imported is not theirs yet. No price was known then.
 */
const UNCOUNTED = `runs.finished_at < (select applied_at from schema_migrations where number = 11)
  and runs.user_id not in (select subject from audit_log where act = 'import' and subject is not null)
  and exists (select 1 from threads where threads.thread_id = runs.thread_id and threads.user_id = runs.user_id)`;
/** A day on which some calls were counted may be one that \`verify --repair\` has mended: rather less than twice. */
const END = 'group by 1, 2, 3 on conflict (user_id, day, model, currency) do nothing';

const sqliteSum = (key: string) => `coalesce(sum(json_extract(used.value, '$.${key}')), 0)`;
const postgresSum = (key: string) => `coalesce(sum((used.value ->> '${key}')::bigint), 0)`;
const sums = (sum: (key: string) => string) =>
  `${sum('calls')}, ${sum('tokens')}, ${sum('inputTokens')}, 0, ${sum('outputTokens')}, 0`;

export const usageBeforeDays: Migration = {
  number: 21,
  name: 'usage before days',
  statements: [],
  sqlite: [
    `insert into usage_days (${COLUMNS})
      select runs.user_id, strftime('%Y-%m-%d', runs.finished_at / 1000, 'unixepoch'), used.key, '', ${sums(sqliteSum)}
      from runs, json_each(runs.token_usage_by_model) as used where ${UNCOUNTED} ${END}`,
  ],
  postgres: [
    `insert into usage_days (${COLUMNS})
      select runs.user_id, to_char(to_timestamp(runs.finished_at / 1000) at time zone 'UTC', 'YYYY-MM-DD'), used.key, '',
        ${sums(postgresSum)}
      from runs cross join lateral json_each(runs.token_usage_by_model::json) as used(key, value)
      where ${UNCOUNTED} ${END}`,
  ],
};
