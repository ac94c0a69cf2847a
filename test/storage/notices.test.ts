// Notices between processes on one PostgreSQL database.
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Log } from '../../src/log.ts';
import type { Notice } from '../../src/storage/notices.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { type LossyProxy, openLossyProxy } from './lossy-proxy.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };

let postgres: TestPostgres;
let proxy: LossyProxy;
let complaints: string[];
let heard: Notice[];
let speaker: Storage;
let hearer: Storage;

beforeEach(async () => {
  postgres = await openTestPostgres();
  proxy = await openLossyProxy(postgres.url);
  complaints = [];
  heard = [];
  const warn = (_: object, message: string): void => void complaints.push(message);
  const log: Log = { debug: () => {}, info: () => {}, warn, error: warn };
  speaker = await openStorage({ url: postgres.url, log });
  hearer = await openStorage({ url: proxy.url, log });
  speaker.notices.start(() => {});
  hearer.notices.start((notice) => heard.push(notice));
  await expect.poll(() => speaker.notices.arrive() && hearer.notices.arrive(), PATIENCE).toBe(true);
});
afterEach(async () => {
  await Promise.all([speaker.close(), hearer.close()]);
  await proxy.close();
  await postgres.close();
});

const runs = () => heard.flatMap((notice) => (notice.kind === 'run' ? [notice.runId] : []));

it('[wake.notices] each reaches all other processes once, however many there are', async () => {
  const ids = Array.from({ length: 600 }, (_, n) => `${n}-${'x'.repeat(36)}`);
  for (const runId of [...ids, ...ids]) speaker.notices.send({ kind: 'run', runId });
  speaker.notices.send({ kind: 'list', userId: 'somebody', threadId: 'a thread' });
  await expect.poll(() => heard.some(({ kind }) => kind === 'list'), PATIENCE).toBe(true);
  expect(runs()).toEqual(ids);
  expect(heard).toContainEqual({ kind: 'list', userId: 'somebody', threadId: 'a thread' });
  const before = heard.length;
  for (let n = 0; n < 50_000; n++) speaker.notices.send({ kind: 'run', runId: `${n}-${'x'.repeat(36)}` });
  // Too many to name: every process polls for everything.
  await expect.poll(() => heard.slice(before), PATIENCE).toEqual([{ kind: 'missed' }]);
});

it('[wake.notices] a malformed one does no harm', async () => {
  const stranger = new pg.Client({ connectionString: postgres.url });
  await stranger.connect();
  const texts = ['', 'no JSON', '{"from":1}', '["somebody",["a kind of another release","x"],["run"]]'];
  for (const text of texts) await stranger.query('select pg_notify($1, $2)', ['agent_service', text]);
  await stranger.end();
  speaker.notices.send({ kind: 'run', runId: 'after all' });
  await expect.poll(runs, PATIENCE).toEqual(['after all']);
});

it('[wake.lost] a process detects a lost connection, and receives notices again once reconnected', async () => {
  const before = heard.length;
  proxy.down();
  await expect.poll(() => hearer.notices.arrive(), PATIENCE).toBe(false);
  speaker.notices.send({ kind: 'run', runId: 'missed' });
  proxy.up();
  await expect.poll(() => hearer.notices.arrive(), PATIENCE).toBe(true);
  // One when it is cut off, one when it is reconnected: the process polls for missed changes.
  expect(heard.slice(before).filter(({ kind }) => kind === 'missed')).toHaveLength(2);
  speaker.notices.send({ kind: 'run', runId: 'after all' });
  await expect.poll(runs, PATIENCE).toContain('after all');
  expect(complaints).toContain('notices of other processes do not arrive; looking for changes instead');
});
