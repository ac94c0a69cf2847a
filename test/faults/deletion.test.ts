// A kill while a thread is deleted: it is whole, or nothing of it remains (fault.F14).
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import type { CrashOrder } from './crashing-service.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';
import type { StubbornClient } from './stubborn-client.ts';
import { rowsOfThread } from './thread-evidence.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/outputs/note.md', content: 'kept' },
};

let pool: ProcessPool;
beforeAll(async () => {
  pool = await openProcessPool(1);
  pool.model.onRequest(({ body }) => {
    const messages = body.messages as readonly { readonly role: string }[];
    return messages.at(-1)?.role === 'tool' ? answer.text('Written') : answer.toolCalls([write]);
  });
});
afterAll(() => pool.close());

interface Deleted {
  readonly threadId: string;
  /** A copy that shares all checkpoints with the thread. */
  readonly copyId: string;
  /** The folder of the thread, and the database. */
  readonly folder: string;
  readonly database: string;
  readonly client: StubbornClient;
}

interface Doomed extends Deleted {
  readonly arm: (order: CrashOrder) => void;
  readonly die: () => void;
}

const contents = async ({ http }: StubbornClient, threadId: string) =>
  (await jsonOf<StateJson>(http.get(`/api/graph/threads/${threadId}/state`))).values.messages.map(
    ({ content }) => content,
  );
const SAID = ['note it', '', 'OK', 'Written'];

/**
 * Kills the service with `kill` while it deletes a thread with files and a copy; resolves once it is up
 * again.
 */
async function killedWhileDeleting(
  kill: (doomed: Doomed) => Promise<void> | void,
  check: (deleted: Deleted) => Promise<void>,
): Promise<void> {
  await pool.use(async ({ process, client }) => {
    await process.up();
    const threadId = await client.newThread();
    await client.ask(threadId, 'note it');
    const copied = client.http.post(`/api/graph/threads/${threadId}/copy`);
    const { thread_id: copyId } = await jsonOf<{ thread_id: string }>(copied);
    const { id } = await jsonOf<{ id: string }>(client.http.get('/api/v1/auth/me'));
    const deleted: Deleted = {
      threadId,
      copyId,
      folder: join(process.dataHome, 'users', id, 'threads', threadId),
      database: join(process.dataHome, 'service.db'),
      client,
    };
    expect(existsSync(join(deleted.folder, 'user-data', 'outputs', 'note.md'))).toBe(true);
    const deaths = process.deaths();
    await kill({ ...deleted, arm: process.arm, die: () => process.signal('SIGKILL') });
    await client.http.delete(`/api/graph/threads/${threadId}`).catch(() => undefined);
    await process.died(deaths + 1);
    await process.up();
    await check(deleted);
    expect(await contents(client, copyId)).toEqual(SAID);
  });
}

/** I14: no row, file or reference is left, and the id is free again. */
async function expectGone({ threadId, folder, database, client, copyId }: Deleted): Promise<void> {
  const path = `/api/graph/threads/${threadId}`;
  for (const below of ['', '/state', '/runs', '/history'])
    expect((await client.http.get(`${path}${below}`)).status).toBe(404);
  expect((await client.http.delete(path)).status).toBe(404);
  const found = await jsonOf<{ thread_id: string }[]>(client.http.post('/api/threads/search', {}));
  expect(found.map((thread) => thread.thread_id)).not.toContain(threadId);
  await expect.poll(() => existsSync(folder)).toBe(false);
  await expect.poll(() => rowsOfThread(database, threadId)).toEqual([]);
  // Only the copy still names its source.
  expect((await client.http.get(`/api/graph/threads/${copyId}`)).status).toBe(200);
  const again = await client.http.post('/api/graph/threads', { thread_id: threadId, if_exists: 'raise' });
  expect(again.status).toBe(200);
  expect((await client.http.delete(path)).status).toBe(204);
}

describe('kill -9 while a thread is deleted', () => {
  it('[fault.F14] before its rows are removed: the thread is whole, and can be deleted', async () => {
    await killedWhileDeleting(
      ({ arm }) => arm({ point: 'thread.delete.before', occurrence: 1 }),
      async (deleted) => {
        const { threadId, folder, client } = deleted;
        expect(await contents(client, threadId)).toEqual(SAID);
        expect(existsSync(join(folder, 'user-data', 'outputs', 'note.md'))).toBe(true);
        expect((await client.http.delete(`/api/graph/threads/${threadId}`)).status).toBe(204);
        await expectGone(deleted);
      },
    );
  });

  it.each(['thread.delete.after', 'removal.done.before', 'removal.done.after'])(
    '[fault.F14] at %s: the deletion is finished after the restart',
    async (point) => {
      await killedWhileDeleting(({ arm }) => arm({ point, occurrence: 1 }), expectGone);
    },
  );

  it('[fault.F14] in the middle of its files: the restart removes the remaining ones', async () => {
    let left = 0;
    // A check that comes too late is repeated with more files.
    for (let files = 4_000; left === 0 && files < 1_000_000; files *= 4) {
      left = files;
      await killedWhileDeleting(async ({ folder, die }) => {
        const many = join(folder, 'user-data', 'workspace');
        await mkdir(many, { recursive: true });
        for (let n = 0; n < files; n++) writeFileSync(join(many, `${n}`), '');
        const look = (): void => {
          left = namesIn(many).length;
          if (left < files) die();
          else setImmediate(look);
        };
        look();
      }, expectGone);
    }
    expect(left, 'killed in the middle').toBeGreaterThan(0);
  });
});

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
