// A database that refuses notices gets them again at a slow pace, and not after the process has stopped.
import { expect, it } from 'vitest';
import { createNotices } from '../../src/storage/sql/database/notices.ts';
import { createRandom } from '../simulation/random.ts';
import { createVirtualTime } from '../simulation/virtual-time.ts';

it('[wake.notices] are sent again about once a second, and once more when the process stops', async () => {
  const time = createVirtualTime(createRandom(1), 0);
  const refusedAt: number[] = [];
  const notices = createNotices({
    database: { writeOnce: () => Promise.reject(new Error('The database is away.')) },
    listen: () => ({ renew: () => {}, stop: async () => {} }),
    log: { info: () => {}, warn: () => void refusedAt.push(time.now()) },
    timers: time.timersOf({ state: 'awake' }),
  });
  notices.start(() => {});
  notices.send({ kind: 'run', runId: 'a run' });
  await time.run(() => refusedAt.length === 3, 10_000);
  expect(refusedAt).toEqual([0, 1_100, 2_200]);
  await notices.stop();
  await time.run(() => false, 10_000);
  expect(refusedAt).toHaveLength(4);
});
