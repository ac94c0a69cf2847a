// A kill while old events and streams are removed: the next start continues, and the remaining data is
// unchanged.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { cases } from '../support/amount.ts';
import { jsonOf } from '../support/json-of.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { differencesIn } from '../support/stored-truth.ts';
import { crashTests } from './crash-tests.ts';
import { scriptedAnswer } from './scripted-answers.ts';

// All ended runs count as old, and every start checks for them.
const crash = crashTests({ runs: { frame_retention_hours: 0, retention: { trace_days: 0 } } });
let threadId: string;
let runIds: readonly string[];
let before: Awaited<ReturnType<typeof seen>>;
/** A copy of the data home before any removal. */
let copy: string;
beforeAll(async () => {
  crash.model.onRequest(scriptedAnswer);
  threadId = await crash.client.newThread();
  const asked: string[] = [];
  for (let n = 0; n < RUNS; n++) asked.push((await crash.client.ask(threadId, `note ${n}`)).runId);
  runIds = asked;
  before = await seen(threadId);
  expect(old().traces).toBeGreaterThan(0);
  expect(old().unpruned).toBe(RUNS);
  await crash.process.stop();
  copy = await mkdtemp(join(tmpdir(), 'agent-service-unremoved-'));
  await cp(crash.process.dataHome, copy, { recursive: true });
});
afterAll(() => rm(copy, { recursive: true }));

/** More than one step of the removal handles. */
const RUNS = 23;

interface Old {
  readonly traces: number;
  readonly unpruned: number;
}

function old(): Old {
  const database = new DatabaseSync(join(crash.process.dataHome, 'service.db'), {
    readOnly: true,
    timeout: 5_000,
  });
  try {
    const count = (query: string) => Number(database.prepare(`select count(*) as n from ${query}`).get()?.n);
    return {
      traces: count(`run_events where category = 'trace'`),
      unpruned: count('runs where frames_pruned = 0'),
    };
  } finally {
    database.close();
  }
}

const seen = async (threadId: string) => ({
  messages: await jsonOf<unknown>(crash.client.http.get(`/api/threads/${threadId}/messages?limit=200`)),
  runs: await jsonOf<unknown>(crash.client.http.get(`/api/graph/threads/${threadId}/runs?limit=100`)),
  state: await jsonOf<unknown>(crash.client.http.get(`/api/graph/threads/${threadId}/state`)),
});

describe('a kill while old events and streams are removed', () => {
  const POINTS: readonly [string, number][] = [
    ['retention.removeNext.before', 1],
    ['retention.removeNext.after', 1],
    ['retention.removeNext.before', 2],
    ['retention.removeNext.after', 2],
    ['pruning.replace.before', 1],
    ['pruning.replace.after', 1],
    ['pruning.replace.after', 21],
  ];
  it.each(cases(POINTS, ([point, occurrence]) => point.endsWith('after') && occurrence < 3))(
    '[fault.retention] at %s %i',
    async (point, occurrence) => {
      await crash.process.stop();
      await rm(crash.process.dataHome, { recursive: true });
      await cp(copy, crash.process.dataHome, { recursive: true });
      const deaths = crash.process.deaths();
      // The first start dies, and so does the one that continues.
      crash.process.armNextStarts([
        { point, occurrence },
        { point: 'retention.removeNext.after', occurrence: 1 },
      ]);
      crash.process.start();
      await crash.process.died(deaths + 2);
      await crash.process.up();
      await expect.poll(old).toEqual({ traces: 0, unpruned: 0 });
      expect(await seen(threadId)).toEqual(before);
      for (const runId of [runIds[0] ?? '', runIds.at(-1) ?? '']) {
        const replayed = await crash.client.follow(threadId, runId);
        expect([replayed[0]?.event, replayed.at(-1)?.event]).toEqual(['metadata', 'end']);
      }
      const url = `sqlite:${join(crash.process.dataHome, 'service.db')}`;
      const storage = await openStorage({ url, log: QUIET_LOG });
      expect(await differencesIn(storage)).toEqual([]);
      await storage.close();
    },
  );
});
