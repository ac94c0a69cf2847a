// Readiness checks the disk of the data home as well as the database.
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';

let service: TestService;
afterEach(() => service.close());

async function readiness() {
  const answer = await service.client().get('/health/ready');
  return [answer.status, await jsonOf(Promise.resolve(answer))];
}

it('[http.health.ready.disk] is 503 while the data home cannot be written, and leaves nothing there', async () => {
  service = await openTestService();
  const { dataHome } = service;
  expect(await readiness()).toEqual([200, { ready: true }]);
  await rename(dataHome, `${dataHome}.away`);
  // A file takes its place.
  await writeFile(dataHome, '');
  const gone = [503, { ready: false, reasons: ['The data home cannot be written.'] }];
  await expect.poll(readiness, { timeout: 5_000 }).toEqual(gone);
  await rm(dataHome);
  await rename(`${dataHome}.away`, dataHome);
  await expect.poll(readiness, { timeout: 5_000 }).toEqual([200, { ready: true }]);
  expect(await readdir(join(dataHome, 'tmp'))).toEqual([]);
});

it('[http.health.ready.disk] is 503 while there is less free space than the floor', async () => {
  service = await openTestService({ config: { workspace: { min_free_mb: 1_048_576 } } });
  expect(await readiness()).toEqual([
    503,
    { ready: false, reasons: ['The disk of the data home is nearly full (workspace.min_free_mb).'] },
  ]);
});
