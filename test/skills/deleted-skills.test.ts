// Deleted custom skills.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';
import { installPackage, skillPackage } from '../support/skill-package.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

describe('deleted skills', () => {
  it('[skills.deleted] are listed, restored with their files, and removed permanently', async () => {
    const eve = await service.user();
    const deleted = async () =>
      (await jsonOf<{ skills: { name: string }[] }>(eve.get('/api/deleted-skills'))).skills.map(
        ({ name }) => name,
      );
    expect(await deleted()).toEqual([]);
    const picture = Buffer.from('89504e470d0a1a0a0000', 'hex');
    await installPackage(eve, await skillPackage('plum', { 'assets/a.png': picture }));
    await eve.post('/api/skills', { content: skillText('pear') });
    const before = await jsonOf(eve.get('/api/skills/plum'));
    await eve.post('/api/skills/plum/disable');
    for (const name of ['plum', 'pear']) await eve.delete(`/api/skills/${name}`);
    expect(await deleted()).toEqual(['pear', 'plum']);
    // The deletion removed the switch to off.
    expect(await jsonOf(eve.post('/api/deleted-skills/plum/restore'))).toEqual(before);
    expect(await deleted()).toEqual(['pear']);
    await eve.delete('/api/skills/plum');
    await eve.post('/api/skills', { content: skillText('plum') });
    expect((await eve.post('/api/deleted-skills/plum/restore')).status).toBe(409);
    expect((await eve.delete('/api/deleted-skills/plum')).status).toBe(200);
    expect((await eve.get('/api/skills/plum/history')).status).toBe(200);
    expect((await eve.delete('/api/deleted-skills/pear')).status).toBe(200);
    expect((await eve.get('/api/skills/pear/history')).status).toBe(404);
    for (const ask of [
      () => eve.delete('/api/deleted-skills/pear'),
      () => eve.post('/api/deleted-skills/pear/restore'),
      () => eve.delete('/api/deleted-skills/..%2fcustom'),
      async () => (await service.user()).delete('/api/deleted-skills/plum'),
    ])
      expect((await ask()).status).toBe(404);
    expect(await deleted()).toEqual([]);
  });

  it('[skills.deleted] are the last twenty, and older ones have no history', async () => {
    const eve = await service.user();
    for (let n = 0; n < 22; n++) {
      await eve.post('/api/skills', { content: skillText(`fruit-${n}`) });
      await eve.delete(`/api/skills/fruit-${n}`);
    }
    const { skills } = await jsonOf<{ skills: { name: string }[] }>(eve.get('/api/deleted-skills'));
    expect(skills).toHaveLength(20);
    const gone = ['fruit-0', 'fruit-1', 'fruit-21'].map(
      async (name) => (await eve.get(`/api/skills/${name}/history`)).status,
    );
    expect(await Promise.all(gone)).toEqual([404, 404, 200]);
  });
});
