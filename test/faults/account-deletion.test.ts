// A kill while an account is deleted: it cannot sign in again, and the restart deletes what remains.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { rowsWith } from '../support/every-table.ts';
import { createHttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, question, streamed } from '../support/service.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

const PASSWORD = 'correct horse battery';
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

describe('a kill while an account is deleted', () => {
  const POINTS: readonly [string, string?][] = [
    ['account.begin.after'],
    ['thread.delete.before'],
    ['thread.delete.after'],
    ['removal.done.before'],
    ['account.clear.before'],
    ['account.clear.after'],
    ['account.done.before'],
    // The restart that continues the deletion dies, too.
    ['account.begin.after', 'account.take.after'],
    ['thread.delete.after', 'thread.delete.after'],
    ['account.clear.before', 'account.clear.after'],
  ];
  const stands = ([point, next]: (typeof POINTS)[number]) =>
    point === 'account.clear.before' || point === next || point === 'removal.done.before';
  it.each(cases(POINTS, stands))('[fault.account] at %s, then %s', async (point, next) => {
    await pool.use(async ({ process }) => {
      const url = await process.up();
      const target = { request: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) };
      const client = createHttpClient(target);
      const email = `${point}-${next}@example.com`.replaceAll('.', '-').replace('-com', '.com');
      await client.register({ email, password: PASSWORD });
      const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
      for (const text of ['one', 'two']) await streamed(client, await newThread(client), question(text));
      const folder = join(process.dataHome, 'users', id);
      expect(existsSync(folder)).toBe(true);
      const deaths = process.deaths();
      process.arm({ point, occurrence: 1 });
      if (next !== undefined) process.armNextStarts([{ point: next, occurrence: 1 }]);
      await client
        .send('DELETE', '/api/v1/auth/me', {
          body: JSON.stringify({ password: PASSWORD }),
          headers: { 'content-type': 'application/json' },
        })
        .catch(() => undefined);
      const times = next === undefined ? 1 : 2;
      await process.died(deaths + times);
      await process.up();
      expect((await client.get('/api/v1/auth/me')).status).toBe(401);
      const rest = () =>
        rowsWith(join(process.dataHome, 'service.db'), [id, email]).filter(
          (row) => !/^(audit_log|account_removals):/.test(row),
        );
      await expect.poll(rest).toEqual([]);
      await expect.poll(() => existsSync(folder)).toBe(false);
    });
  });
});
