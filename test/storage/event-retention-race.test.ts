// Content that the retention removes while a writer begins to use it, on Postgres, where both can happen
// concurrently.
import pg from 'pg';
import { expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, finishRun, sampleChange, sampleEvent, sampleRun, startRun, startRunOn } from './samples.ts';

it('[runs.retention.content] content that a writer begins to use stays, though its last event is removed at the same time', async () => {
  const server = await openTestPostgres();
  const storage = await openStorage({ url: server.url, log: QUIET_LOG });
  const writer = new pg.Client({ connectionString: server.url });
  const watcher = new pg.Client({ connectionString: server.url });
  await Promise.all([writer.connect(), watcher.connect()]);
  try {
    const old = await startRun(storage, ANN, 'old');
    const trace = sampleEvent('a long prompt '.repeat(700), { eventType: 'llm_request', category: 'trace' });
    await storage.runCommits.commit([sampleChange(old, { events: [trace] })], 2500);
    await finishRun(storage, old);
    await startRunOn(storage, ANN, sampleRun('new', old.threadId));
    await writer.query('begin');
    await writer.query('select 1 from threads where thread_id = $1 for update', [old.threadId]);
    await writer.query(`insert into run_events (thread_id, seq, run_id, user_id, event_type, category, created_at,
        metadata, content_format, content_key)
      select thread_id, 999, 'new', user_id, event_type, category, created_at, metadata, content_format, content_key
      from run_events where run_id = 'old' and category = 'trace'`);
    let isOver = false;
    const removal = storage.eventRetention
      .removeNext({ kind: 'trace', categories: ['trace'], endedBefore: 10_000, limit: 10 })
      .finally(() => {
        isOver = true;
      });
    const waits = async (): Promise<boolean> => {
      const { rows } = await watcher.query(`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length > 0;
    };
    while (!(isOver || (await waits())));
    await writer.query('commit');
    expect(await removal).toBe(1);
    const { rows } = await watcher.query(`select run_id, trace_contents.content_key is not null as is_there
      from run_events left join trace_contents using (thread_id, content_key) where category = 'trace'`);
    expect(rows).toEqual([{ run_id: 'new', is_there: true }]);
  } finally {
    await Promise.all([writer.end(), watcher.end()]);
    await storage.close();
    await server.close();
  }
});
