// Deletions that several processes may finish, and readers that follow the thread (fault.F14, F46).
import { afterEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createThreadRemover } from '../../src/threads/thread-remover.ts';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import { ANN, createThread } from '../storage/samples.ts';
import { answer } from '../support/model-server/answer.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

describe('several processes on one database', () => {
  const THREADS = 60;

  let postgres: TestPostgres;
  let storages: readonly Storage[];
  afterEach(async () => {
    for (const storage of storages) await storage.close();
    await postgres.close();
  });

  it('[fault.F14] one of them finishes the deletion of a dead one, and each deletion once', async () => {
    postgres = await openTestPostgres();
    const open = () => openStorage({ url: postgres.url, log: QUIET_LOG });
    const first = await open();
    storages = [first, await open(), await open()];
    const HELD_UNTIL = 5_000;
    for (let n = 0; n < THREADS; n++) {
      await createThread(first, ANN, `t${n}`);
      await first.as(ANN).threads.delete(`t${n}`, HELD_UNTIL);
    }
    let now = HELD_UNTIL - 1;
    const removed: string[] = [];
    const sweep = async (expected: number): Promise<void> => {
      const upkeeps = storages.map(({ threadRemovals: removals }) => {
        const upkeep = createUpkeep({ log: QUIET_LOG });
        createThreadRemover({
          removals,
          removeFiles: async ({ threadId }) => void removed.push(threadId),
          forget: () => {},
          log: QUIET_LOG,
          now: () => now,
          exclusive: false,
          upkeep,
        });
        return upkeep;
      });
      for (const upkeep of upkeeps) upkeep.start();
      await expect.poll(() => removed.length).toBe(expected);
      for (const upkeep of upkeeps) await upkeep.stop();
    };
    await sweep(0);
    expect(removed, 'while the owner may be alive').toEqual([]);
    now = HELD_UNTIL;
    await sweep(THREADS);
    expect([...removed].sort()).toEqual(Array.from({ length: THREADS }, (_, n) => `t${n}`).sort());
    const noted = { now: Number.MAX_SAFE_INTEGER, takenUntil: now, limit: 1 };
    expect(await first.threadRemovals.take(noted)).toEqual([]);
  });
});

describe('a reader that follows a deleted thread', () => {
  it('[fault.F46] sees the end of its events, though the thread was idle', async () => {
    const test = await openTestService();
    const client = await test.user();
    test.model.onRequest(() => answer.text('fine'));
    const threadId = await newThread(client);
    await streamed(client, threadId, question('hi'));
    const path = `/api/graph/threads/${threadId}`;
    const followed = await client.post(`${path}/stream/events`, { channels: ['lifecycle'] });
    let deleted: Promise<Response> | undefined;
    // The stream ends by itself, or never.
    for await (const _ of framesOf(followed)) deleted ??= client.delete(path);
    expect((await deleted)?.status).toBe(204);
    await test.close();
  });
});
