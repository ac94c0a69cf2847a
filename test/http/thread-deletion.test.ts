// A deletion whose second half fails.
import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { detailOf } from '../support/http-client.ts';
import { openTestApp } from '../support/test-app.ts';

it('[threads.delete.files] files that cannot be removed are a 500 without a reason; they are removed later', async () => {
  let inTheWay = true;
  const failing = await openTestApp({
    removeFiles: async () => {
      if (inTheWay) throw new ServiceError('invalid', 'EACCES: /srv/data/users/canary');
    },
  });
  const client = await failing.user();
  await client.post('/api/threads', { thread_id: 't' });
  const answer = await client.delete('/api/threads/t');
  expect([answer.status, await detailOf(answer)]).toEqual([500, 'Internal server error']);
  expect((await client.get('/api/threads/t')).status).toBe(404);
  const errors = failing.lines.filter((line) => line.level === 'error');
  expect(errors).toHaveLength(1);
  // The id stays taken while the files of the thread exist.
  expect((await client.post('/api/threads', { thread_id: 't' })).status).toBe(409);
  inTheWay = false;
  failing.upkeep.start();
  await expect.poll(async () => (await client.post('/api/threads', { thread_id: 't' })).status).toBe(200);
  await failing.upkeep.stop();
  await failing.close();
});
