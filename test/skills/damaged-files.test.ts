// Skill files that are unreadable or were damaged: no file is treated as absent if it exists.
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { customFolder, skillText } from '../support/skill-files.ts';
import { installPackage, skillPackage } from '../support/skill-package.ts';
import { unreadable } from '../support/unreadable-file.ts';

let service: TestService;
let ann: HttpClient;
let own: string;
beforeAll(async () => {
  service = await openTestService({ config: { skills: { max_per_user: 10 } } });
  ann = await service.user();
  own = customFolder(service.dataHome, (await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'))).id);
});
afterAll(() => service.close());

const create = (name: string) => ann.post('/api/skills', { content: skillText(name) });

describe('a file that is temporarily unreadable', () => {
  it('[skills.unreadable] hides no skill', async () => {
    await create('tea');
    await unreadable(join(own, 'tea', 'SKILL.md'), async () => {
      expect((await ann.get('/api/skills')).status).toBe(500);
    });
    expect((await ann.get('/api/skills/tea')).status).toBe(200);
  });

  it('[skills.unreadable] is no empty history, and is never overwritten', async () => {
    await create('cake');
    await unreadable(join(own, '..', 'history', 'cake.jsonl'), async () => {
      expect((await ann.get('/api/skills/cake/history')).status).toBe(500);
      expect((await ann.put('/api/skills/cake', { content: skillText('cake') })).status).toBe(500);
    });
    const { history } = await jsonOf<{ history: object[] }>(ann.get('/api/skills/cake/history'));
    expect(history).toHaveLength(1);
  });
});

describe('a damaged file', () => {
  it('[skills.unreadable] is no empty history, and is never overwritten', async () => {
    await create('jam');
    const history = join(own, '..', 'history', 'jam.jsonl');
    await writeFile(history, 'a\0b');
    for (const refused of [
      await ann.get('/api/skills/jam/history'),
      await ann.put('/api/skills/jam', { content: skillText('jam') }),
    ]) {
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('jam.jsonl') });
    }
    expect(await readFile(history, 'utf8')).toBe('a\0b');
  });

  it('[skills.edit] does not prevent the deletion of the skill', async () => {
    await create('pie');
    await writeFile(join(own, 'pie', 'SKILL.md'), 'a\0b');
    expect((await ann.get('/api/skills/pie')).status).toBe(404);
    expect((await create('pie')).status).toBe(409);
    expect((await ann.delete('/api/skills/pie')).status).toBe(200);
    expect((await create('pie')).status).toBe(201);
  });

  it('[skills.edit] is not overwritten when the history could not restore it', async () => {
    await create('soup');
    const path = '/api/skills/soup/files/assets/a.bin';
    const put = () => ann.send('PUT', path, { body: 'text', headers: { 'content-type': 'text/plain' } });
    await put();
    await writeFile(join(own, 'soup', 'assets', 'a.bin'), 'a\0b');
    expect((await put()).status).toBe(409);
    expect(await (await ann.get(path)).text()).toBe('a\0b');
    expect((await ann.delete(path)).status).toBe(200);
    expect((await put()).status).toBe(200);
  });

  it('[skills.history] stays while no history entry about it can be written', async () => {
    await create('bread');
    const file = join(own, 'bread', 'references', 'a.md');
    const path = '/api/skills/bread/files/references/a.md';
    await ann.send('PUT', path, { body: 'text', headers: { 'content-type': 'text/plain' } });
    await unreadable(join(own, '..', 'history', 'bread.jsonl'), async () => {
      expect((await ann.delete(path)).status).toBe(500);
    });
    await access(file);
  });
});

it('[skills.switch] a switch to off is removed with the skill', async () => {
  await create('rice');
  await ann.post('/api/skills/rice/disable');
  await ann.delete('/api/skills/rice');
  expect(await jsonOf(create('rice'))).toMatchObject({ enabled: true });
  for (const again of [() => create('rice'), async () => installPackage(ann, await skillPackage('rice'))]) {
    await ann.post('/api/skills/rice/disable');
    // The way in which an operator deletes it.
    await rm(join(own, 'rice'), { recursive: true });
    expect((await again()).ok).toBe(true);
    expect(await jsonOf(ann.get('/api/skills/rice'))).toMatchObject({ enabled: true });
  }
});
