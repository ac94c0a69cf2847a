// A title that a model still writes when its thread, or the whole account, is deleted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { storageWithPoints } from '../faults/crash-points.ts';
import { rowsWith } from '../support/every-table.ts';
import { bodyOf } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  TEST_PASSWORD,
  type TestService,
} from '../support/service.ts';

let dataHome: string;
let database: string;
let test: TestService;
/** Where the service stands still, from when on, and until when. */
let stop: { point: string; reached: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> };
let told: string[];
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  database = join(dataHome, 'service.db');
  stop = { point: '', reached: Promise.withResolvers(), go: Promise.withResolvers() };
  told = [];
  const tell = (_: object, message: string) => void told.push(message);
  const url = `sqlite:${database}`;
  test = await openTestService({
    dataHome,
    config: { database: { url }, agent: { title_model: 'scripted' } },
    overrides: {
      log: { debug: tell, info: tell, warn: tell, error: tell },
      storage: storageWithPoints(await openStorage({ url, log: QUIET_LOG }), (name) => {
        if (name !== stop.point) return undefined;
        stop.reached.resolve();
        return stop.go.promise;
      }),
    },
  });
});
afterEach(async () => {
  await test.close();
  await rm(dataHome, { recursive: true, force: true });
});

/** A person with a thread whose answer is there and whose title is not, until `write`. */
async function untitled() {
  const client = await test.user('ann');
  const written = Promise.withResolvers<ReturnType<typeof answer.text>>();
  test.model.onRequest(({ body }) =>
    JSON.stringify(body.messages).includes('Write a title') ? written.promise : answer.text('Olives'),
  );
  const threadId = await newThread(client);
  await streamed(client, threadId, question('What grows here'));
  const { id } = await bodyOf<{ id: string }>(await client.get('/api/v1/auth/me'));
  return { client, threadId, id, write: () => written.resolve(answer.text('Canary of the Valley')) };
}

const left = (texts: readonly string[]) =>
  rowsWith(database, texts).filter((row) => !/^(audit_log|account_removals):/.test(row));

// At the call: nothing was asked for yet; before it is counted; before the state with the title is written.
const POINTS = ['', 'late.countLate.before', 'append.before'];

it.each(POINTS)('[deletion.late-title] of a thread (%s)', async (point) => {
  const { client, threadId, write } = await untitled();
  stop.point = point;
  if (point !== '') {
    write();
    await stop.reached.promise;
  }
  expect((await client.delete(`/api/graph/threads/${threadId}`)).status).toBe(204);
  write();
  stop.go.resolve();
  await expect.poll(() => told).toContain('a title arrived too late');
  expect(left([threadId, 'Canary'])).toEqual([]);
  // What was spent stays spent.
  const { total } = await jsonOf<{ total: { calls: number } }>(client.get('/api/usage'));
  expect(total.calls).toBe(2);
});

it.each(POINTS)('[deletion.late-title] of an account (%s)', async (point) => {
  const { client, threadId, id, write } = await untitled();
  stop.point = point;
  if (point !== '') {
    write();
    await stop.reached.promise;
  }
  const gone = await client.send('DELETE', '/api/v1/auth/me', {
    body: JSON.stringify({ password: TEST_PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });
  expect(gone.status).toBe(200);
  const texts = [id, threadId, 'Canary', 'ann@example.com'];
  await expect.poll(() => left(texts)).toEqual([]);
  write();
  stop.go.resolve();
  await expect.poll(() => told).toContain('a title arrived too late');
  expect(left(texts)).toEqual([]);
});
