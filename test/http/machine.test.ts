// The description of the machine for administrators.
import { expect, it } from 'vitest';
import { signInAdministrator } from '../support/administrator.ts';
import { bodyOf } from '../support/http-client.ts';
import { openTestService } from '../support/service.ts';

it('[hostile.S36] [sandbox.gaps] administrators see what is missing, other users get 403, strangers 401', async () => {
  const service = await openTestService({ config: { sandbox: { kind: 'virtual' } } });
  const admin = await signInAdministrator(service);
  expect(await bodyOf(await admin.get('/api/admin/machine'))).toEqual({
    sandbox: { kind: 'virtual', require: 'best' },
    gaps: [
      {
        weight: 'wall',
        message: 'Commands run in the virtual shell, a plain process of this user.',
        fix: expect.stringContaining('bubblewrap'),
      },
    ],
  });
  const ann = await service.user('ann');
  expect((await ann.get('/api/admin/machine')).status).toBe(403);
  expect((await service.client().get('/api/admin/machine')).status).toBe(401);
  await service.close();
});
