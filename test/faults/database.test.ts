// A database that is locked by others, or whose disk is full from the n-th write on (reliability F20, F21).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames } from '../support/sse.ts';
import { type AtPoint, storageWithPoints } from './crash-points.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'kept' },
};

let test: TestService;
afterEach(() => test.close());

it('[fault.F20] a backup tool that holds the database up: everything waits, nothing fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'locked-'));
  const path = join(folder, 'service.db');
  test = await openTestService({ config: { database: { url: `sqlite:${path}` } } });
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.onRequest(() => answer.text('fine'));
  const backup = new DatabaseSync(path);
  for (let round = 0; round < 3; round++) {
    backup.exec('begin immediate');
    const asked = streamed(client, threadId, question(`q${round}`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    backup.exec('rollback');
    // A reader that stays does not even hold it up.
    backup.exec('begin');
    backup.prepare('select count(*) from runs').get();
    expect((await asked).at(-1)?.event).toBe('end');
    backup.exec('commit');
  }
  backup.close();
  const runs = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=10`));
  expect(runs.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  await rm(folder, { recursive: true, force: true });
});

it('[fault.F21] a disk that is full at the n-th write: new runs are refused, running ones wait and go on', async () => {
  let writes = 0;
  let fullFrom = Number.POSITIVE_INFINITY;
  let refused = Promise.withResolvers<void>();
  const at: AtPoint = (name) => {
    if (!name.endsWith('.before') || ++writes < fullFrom) return undefined;
    refused.resolve();
    return Promise.reject(unavailable('The disk under the database is full; free some space and try again.'));
  };
  const storage = storageWithPoints(await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG }), at);
  test = await openTestService({ overrides: { storage }, config: { runs: { lease_renewal_ms: 50 } } });
  const client = await test.user();
  const accepted = async (send: () => Promise<Response>): Promise<Response> => {
    for (;;) {
      const response = await send();
      if (response.status !== 503) return response;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const converse = async (): Promise<readonly string[]> => {
    test.model.enqueue(answer.toolCalls([write]), answer.text('Written'));
    const { thread_id: threadId } = await jsonOf<{ thread_id: string }>(
      accepted(() => client.post('/api/graph/threads', { metadata: {} })),
    );
    const path = `/api/graph/threads/${threadId}/runs/stream`;
    await allFrames(await accepted(() => client.post(path, question('note it'))));
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    return state.values.messages.map(({ type, content }) => `${type} ${content}`);
  };
  writes = 0;
  const usual = await converse();
  const usualWrites = writes;
  expect(usualWrites).toBeGreaterThan(5);
  for (let n = 1; n <= usualWrites; n++) {
    writes = 0;
    fullFrom = n;
    refused = Promise.withResolvers();
    const conversation = converse();
    await refused.promise;
    const other = await client.post('/api/graph/runs', question('another one'));
    expect(other.status).toBe(503);
    expect(await other.json()).toMatchObject({ detail: expect.stringContaining('disk') });
    fullFrom = Number.POSITIVE_INFINITY;
    expect(await conversation, `full at write ${n}`).toEqual(usual);
    test.model.reset();
  }
});
