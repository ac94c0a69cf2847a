// Skills of a person whose quota is used up, or with more package uploads than places.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newThread, openTestService, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';
import { installSlowly, skillPackage } from '../support/skill-package.ts';
import { sendFiles } from '../support/upload.ts';

const MIB = 1_048_576;

let service: TestService;
beforeAll(async () => {
  const workspace = { thread_quota_mb: 2, user_quota_mb: 2, min_free_mb: 0 };
  service = await openTestService({ config: { skills: {}, workspace } });
});
afterAll(() => service.close());

it('[skills.edit] a person without space for a history entry can still delete a skill', async () => {
  const ann = await service.user();
  const content = skillText('tea', { body: 'Boil. '.repeat(16_000) });
  expect((await ann.post('/api/skills', { content })).status).toBe(201);
  const taken = 2 * Buffer.byteLength(content) + 20_000;
  const files = [{ name: 'a.bin', content: Buffer.alloc(2 * MIB - taken) }];
  expect((await sendFiles(ann, await newThread(ann), files)).status).toBe(200);
  expect((await ann.put('/api/skills/tea', { content })).status).toBe(413);
  expect((await ann.delete('/api/skills/tea')).status).toBe(200);
});

it('[skills.install.places] a package is received only when there is a place for it', async () => {
  const eve = await service.user();
  const package_ = await skillPackage('slow');
  const first = installSlowly(eve, package_);
  await first.begun;
  const others = Array.from({ length: 5 }, () => installSlowly(eve, package_));
  // Up to four may wait.
  expect((await Promise.race(others.map(({ answer }) => answer))).status).toBe(429);
  expect(others.some((one) => one.hasBegun())).toBe(false);
  for (const one of [first, ...others]) one.finish();
  expect((await first.answer).status).toBe(200);
  const answers = await Promise.all(others.map(({ answer }) => answer));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([409, 409, 409, 409, 429]);
});
