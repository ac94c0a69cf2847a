// A kill while a package is imported: afterwards all of it exists, or nothing.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { contentsOf, sendPackage } from '../transfer/conversation.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

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

/** Returns the rows of an unfinished import, and its entries in the index. */
function leftovers(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const count = (query: string) => database.prepare(`select count(*) as n from ${query}`).get()?.n;
    return {
      imports: count('thread_imports'),
      hidden: count(`threads where user_id like 'import:%'`),
      removals: count('thread_removals'),
      checkpoints: count('checkpoints where thread_id not in (select thread_id from threads)'),
    };
  } finally {
    database.close();
  }
}
const NOTHING_LEFT = { imports: 0, hidden: 0, removals: 0, checkpoints: 0 };

describe('a kill while a package is imported', () => {
  it.each([
    ['import.open.after', 'nothing'],
    ['import.beginThread.after', 'nothing'],
    ['import.add.after', 'nothing'],
    ['import.finishThread.after', 'nothing'],
    ['import.renewClaim.after', 'nothing'],
    ['import.publish.before', 'nothing'],
    ['import.publish.after', 'everything'],
  ])('[fault.import] at %s leaves %s', async (point, outcome) => {
    await pool.use(async ({ process, client }) => {
      await process.up();
      const threadId = await client.newThread();
      await client.ask(threadId, 'note it');
      const zip = await (await client.http.get('/api/account/export')).arrayBuffer();
      const { id } = await jsonOf<{ id: string }>(client.http.get('/api/v1/auth/me'));
      const folder = join(process.dataHome, 'users', id, 'threads');
      const before = readdirSync(folder).length;
      const deaths = process.deaths();
      process.arm({ point, occurrence: 1 });
      await sendPackage(client.http, '/api/account/import', new Uint8Array(zip)).catch(() => undefined);
      await process.died(deaths + 1);
      await process.up();
      await expect.poll(() => leftovers(join(process.dataHome, 'service.db'))).toEqual(NOTHING_LEFT);
      const found = await jsonOf<{ thread_id: string }[]>(
        client.http.post('/api/threads/search', { limit: 100 }),
      );
      expect(found).toHaveLength(outcome === 'nothing' ? before : 2 * before);
      expect(readdirSync(folder)).toHaveLength(found.length);
      for (const thread of found) {
        expect(await contentsOf(client.http, thread.thread_id)).toEqual(['note it', '', 'OK', 'Written']);
        expect(existsSync(join(folder, thread.thread_id, 'user-data', 'outputs', 'note.md'))).toBe(true);
      }
    });
  });
});
