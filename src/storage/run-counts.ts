// The counts of a run: one list that yields its columns, the fields of its totals, and their names on the
// wire and in packages.

/** The name of each count in rows, on the wire and in packages, and its field in the totals of a run. */
const COUNTS = [
  ['total_input_tokens', 'totalInputTokens'],
  ['total_output_tokens', 'totalOutputTokens'],
  ['total_tokens', 'totalTokens'],
  ['llm_call_count', 'llmCallCount'],
  ['lead_agent_tokens', 'leadAgentTokens'],
  ['subagent_tokens', 'subagentTokens'],
  ['middleware_tokens', 'middlewareTokens'],
  ['message_count', 'messageCount'],
] as const;

export type CountColumn = (typeof COUNTS)[number][0];
type CountField = (typeof COUNTS)[number][1];

/** The counts among the totals of a run. */
export type RunCounts = Readonly<Record<CountField, number>>;

export const COUNT_COLUMNS: readonly CountColumn[] = COUNTS.map(([column]) => column);

/** Returns a record of the function's result for each column. */
export function byColumn<T>(of: (column: CountColumn) => T): Record<CountColumn, T> {
  return whole(
    COUNT_COLUMNS,
    COUNT_COLUMNS.map((column) => of(column)),
  );
}

export function columnsOfCounts(counts: RunCounts): Record<CountColumn, number> {
  return whole(
    COUNT_COLUMNS,
    COUNTS.map(([, field]) => counts[field]),
  );
}

/** Returns the counts that these columns hold. */
export function countsIn(row: Readonly<Record<CountColumn, number>>): RunCounts {
  return whole(
    COUNTS.map(([, field]) => field),
    COUNTS.map(([column]) => row[column]),
  );
}

function whole<Key extends string, T>(keys: readonly Key[], values: readonly T[]): Record<Key, T> {
  const record: unknown = Object.fromEntries(keys.map((key, index) => [key, values[index]]));
  if (!hasAll<Key, T>(record, keys)) throw new TypeError('a count is missing');
  return record;
}

function hasAll<Key extends string, T>(record: unknown, keys: readonly Key[]): record is Record<Key, T> {
  return typeof record === 'object' && record !== null && keys.every((key) => key in record);
}
