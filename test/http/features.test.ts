// What frontends of the field ask before they show something.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ config: { uploads: { max_files: 3, max_file_mb: 2, max_total_mb: 4 } } });
});
afterAll(() => service.close());

it('[http.features] tells the optional parts, and the limits of uploads under a thread', async () => {
  const ann = await service.user();
  const features = await jsonOf<Record<string, object>>(ann.get('/api/features'));
  expect(features).toMatchObject({ agents_api: { enabled: false }, subagent_batches: { max_running: 0 } });
  // What is said not to be there is not there.
  expect((await ann.get('/api/agents')).status).toBe(404);
  const limits = await jsonOf(ann.get(`/api/threads/${await newThread(ann)}/uploads/limits`));
  expect(limits).toEqual({ max_files: 3, max_file_size: 2 * 1_048_576, max_total_size: 4 * 1_048_576 });
});
