// Files of skills that cannot be read, or were written by somebody else: nothing is taken for absent that is not.
import { access, rm, writeFile } from 'node:fs/promises';
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

describe('a file that cannot be read now', () => {
  it('[skills.unreadable] leaves no skill out', async () => {
    await create('tea');
    await unreadable(join(own, 'tea', 'SKILL.md'), async () => {
      expect((await ann.get('/api/skills')).status).toBe(500);
    });
    expect((await ann.get('/api/skills/tea')).status).toBe(200);
  });

  it('[skills.unreadable] is no empty history, and nothing is written over it', async () => {
    await create('cake');
    await unreadable(join(own, '..', 'history', 'cake.jsonl'), async () => {
      expect((await ann.get('/api/skills/cake/history')).status).toBe(500);
      expect((await ann.put('/api/skills/cake', { content: skillText('cake') })).status).toBe(500);
    });
    const { history } = await jsonOf<{ history: object[] }>(ann.get('/api/skills/cake/history'));
    expect(history).toHaveLength(1);
  });
});

describe('a file that somebody damaged', () => {
  it('[skills.edit] does not keep the skill from being deleted', async () => {
    await create('pie');
    await writeFile(join(own, 'pie', 'SKILL.md'), 'a\0b');
    expect((await ann.get('/api/skills/pie')).status).toBe(404);
    expect((await create('pie')).status).toBe(409);
    expect((await ann.delete('/api/skills/pie')).status).toBe(200);
    expect((await create('pie')).status).toBe(201);
  });

  it('[skills.edit] is not written over when the history could not bring it back', async () => {
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

  it('[skills.history] keeps every file while no line about it can be written', async () => {
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

it('[skills.switch] being off ends with the skill', async () => {
  await create('rice');
  await ann.post('/api/skills/rice/disable');
  await ann.delete('/api/skills/rice');
  expect(await jsonOf(create('rice'))).toMatchObject({ enabled: true });
  for (const again of [() => create('rice'), async () => installPackage(ann, await skillPackage('rice'))]) {
    await ann.post('/api/skills/rice/disable');
    // As an operator deletes it.
    await rm(join(own, 'rice'), { recursive: true });
    expect((await again()).ok).toBe(true);
    expect(await jsonOf(ann.get('/api/skills/rice'))).toMatchObject({ enabled: true });
  }
});
