// Records of the first schema, and their form after every later migration.
import { expect } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, claimRuns } from './samples.ts';

const RUN_COLUMNS = `run_id, thread_id, user_id, assistant_id, status, attempt, multitask_strategy, created_at,
  updated_at, started_at, finished_at, stop_reason, token_usage_by_model, metadata, kwargs`;

const USED = '{"m":{"tokens":30,"inputTokens":20,"outputTokens":10,"calls":2}}';
const run = (id: string, values: string, used = '{}') =>
  `insert into runs (${RUN_COLUMNS}) values ('${id}', 't', '${ANN}', 'lead_agent', ${values}, '${used}', '{}', '{}')`;

/** A thread with an executed run, two that were cancelled together before they began, and a waiting one. */
export const FIRST_SCHEMA_RECORDS: readonly string[] = [
  `insert into threads (thread_id, user_id, status, head_checkpoint_id, created_at, updated_at, metadata)
    values ('t', '${ANN}', 'busy', 'c', 1, 2, '{}')`,
  `insert into checkpoints (checkpoint_id, thread_id, step, source, fold_bytes, created_at, next, tasks, metadata, delta)
    values ('c', 't', -1, 'input', 1, 1, '[]', '[]', '{}', 'D')`,
  run('done', `'success', 1, 'enqueue', 1, 1, 1, 9, 'completed'`, USED),
  run('cancelled', `'interrupted', 0, 'enqueue', 2, 2, null, 9, 'interrupted_by_user'`),
  run('with it', `'interrupted', 0, 'enqueue', 3, 3, null, 9, 'interrupted_by_user'`),
  run('waiting', `'pending', 0, 'enqueue', 4, 4, null, null, null`),
  `insert into run_frames (run_id, first_seq, last_seq, attempt, events) values ('done', 1, 1, 1, '["x"]')`,
];

export async function expectFirstSchemaRecords(storage: Storage): Promise<void> {
  const { runs, checkpoints, threads, usage } = storage.as(ANN);
  expect(await threads.get('t')).toMatchObject({ status: 'busy', headCheckpointId: 'c' });
  expect(await checkpoints.lineage('t', 'c')).toEqual(['D']);
  expect(await runs.get('done')).toMatchObject({ status: 'success', startAfter: null, cancel: null });
  expect(await runs.get('cancelled')).toMatchObject({ numbersFrom: 9 });
  expect(await runs.get('with it')).toMatchObject({ numbersFrom: 10 });
  const day = {
    day: '1970-01-01',
    model: 'm',
    calls: 2,
    tokens: 30,
    inputTokens: 20,
    outputTokens: 10,
    cost: {},
  };
  expect(await usage.days({ from: '0000-01-01', to: '9999-12-31' })).toEqual([
    { ...day, cachedInputTokens: 0 },
  ]);
  const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["x"]' };
  expect(await storage.frameRetention.due(10, 9)).toEqual([{ runId: 'done', rows: [frames] }]);
  expect(await claimRuns(storage, { workerId: 'w' })).toMatchObject([{ runId: 'waiting', attempt: 1 }]);
}
