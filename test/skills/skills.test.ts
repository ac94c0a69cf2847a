// Skills of a person: listed, shown, switched on and off.
import { access, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSkills } from '../../src/skills/skills.ts';
import { signInAdministrator } from '../support/administrator.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { toolNames } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { customFolder, skillText, writeSkill } from '../support/skill-files.ts';

interface SkillJson {
  readonly name: string;
  readonly enabled: boolean;
  readonly category: string;
}

let shelf: string;
let service: TestService;
let admin: HttpClient;
beforeAll(async () => {
  shelf = await mkdtemp(join(tmpdir(), 'skills-'));
  await writeSkill(shelf, 'tea', {
    'SKILL.md': skillText('tea', {
      head: 'license: MIT\nallowed-tools: [read_file, bash]\n',
      body: '# Tea\n\nBoil.',
    }),
    'references/kinds.md': 'green, black',
  });
  await writeSkill(shelf, 'coffee');
  // An operator may have made the folder a link.
  await symlink(shelf, `${shelf}-link`);
  service = await openTestService({ config: { skills: { public_folder: `${shelf}-link` } } });
  admin = await signInAdministrator(service);
});
afterAll(async () => {
  await service.close();
  await rm(`${shelf}-link`);
  await rm(shelf, { recursive: true });
});

async function listed(client: HttpClient): Promise<readonly SkillJson[]> {
  return (await jsonOf<{ skills: SkillJson[] }>(client.get('/api/skills'))).skills;
}

async function ownFolder(client: HttpClient): Promise<string> {
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  return customFolder(service.dataHome, id);
}

const namesOf = async (client: HttpClient) => (await listed(client)).map(({ name }) => name);

async function stateOf(client: HttpClient, name: string) {
  return (await listed(client)).find((skill) => skill.name === name);
}

describe('the list of skills', () => {
  it('[skills.list] has every field of the contract, and is sorted by name', async () => {
    const ann = await service.user();
    expect(await namesOf(ann)).toEqual(['coffee', 'tea']);
    expect(await stateOf(ann, 'tea')).toEqual({
      name: 'tea',
      display_name: 'Tea',
      description: 'How to tea.',
      enabled: true,
      license: 'MIT',
      path: 'public/tea',
      category: 'public',
      editable: false,
      globally_enabled: true,
    });
  });

  it("[skills.list] [skills.fresh] has the person's own skills, which hide public ones and no one else's", async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    await listed(ann);
    const own = await ownFolder(ann);
    await writeSkill(own, 'tea');
    await writeSkill(own, 'cake');
    expect(await namesOf(ann)).toEqual(['cake', 'coffee', 'tea']);
    expect(await stateOf(ann, 'tea')).toMatchObject({
      category: 'custom',
      path: 'custom/tea',
      editable: true,
    });
    expect(await namesOf(bob)).toEqual(['coffee', 'tea']);
    expect(await stateOf(bob, 'tea')).toMatchObject({ category: 'public' });
  });

  it('[skills.fresh] shows the current contents of a file', async () => {
    const ann = await service.user();
    const own = await ownFolder(ann);
    await writeSkill(own, 'cake');
    expect(await stateOf(ann, 'cake')).toMatchObject({ description: 'How to cake.' });
    await writeFile(join(own, 'cake', 'SKILL.md'), skillText('cake', { description: 'Bake: with "care"' }));
    expect(await stateOf(ann, 'cake')).toMatchObject({ description: 'Bake: with "care"' });
    await rm(join(own, 'cake'), { recursive: true });
    expect(await namesOf(ann)).toEqual(['coffee', 'tea']);
  });

  it('[skills.fresh] sees a public skill that an operator adds or removes', async () => {
    const ann = await service.user();
    await listed(ann);
    await writeSkill(shelf, 'water');
    expect(await namesOf(ann)).toEqual(['coffee', 'tea', 'water']);
    await rm(join(shelf, 'water'), { recursive: true });
    expect(await namesOf(ann)).toEqual(['coffee', 'tea']);
  });

  it('[skills.malformed] omits invalid skills, logs them once, and lists the others', async () => {
    const ann = await service.user();
    const own = await ownFolder(ann);
    await writeSkill(own, 'good');
    const bad: Record<string, string> = {
      'no-front-matter': '# Just text',
      'no-end': '---\nname: no-end\ndescription: x\n',
      'other-name': skillText('another-name'),
      'unknown-key': skillText('unknown-key', { head: 'colour: red\n' }),
      anchors: skillText('anchors', { head: 'license: &a x\nauthor: *a\n' }),
      tags: skillText('tags', { head: 'license: !!js/function "x"\n' }),
      prototype: skillText('prototype', { head: '__proto__: {a: 1}\n' }),
      deep: skillText('deep', { head: `metadata: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n` }),
      html: skillText('html', { description: 'see <script>' }),
      huge: skillText('huge', { description: 'x'.repeat(5_000_000) }),
      'long-head': skillText('long-head', { head: `license: ${'x'.repeat(5_000)}\n` }),
      binary: `${skillText('binary')}\0`,
    };
    for (const [name, text] of Object.entries(bad)) await writeSkill(own, name, { 'SKILL.md': text });
    await symlink(join(shelf, 'tea'), join(own, 'linked'));
    await writeSkill(own, 'UPPER');
    const before = service.complaints.length;
    expect(await namesOf(ann)).toEqual(['coffee', 'good', 'tea']);
    const said = service.complaints.slice(before);
    expect(said.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ skill: 'unknown-key', why: expect.stringContaining('unknown key "colour"') }),
    );
    expect(said).toHaveLength(Object.keys(bad).length + 1);
    await namesOf(ann);
    expect(service.complaints).toHaveLength(before + said.length);
  });
});

describe('a skill', () => {
  it('[skills.detail] has its instructions, its tools and its files', async () => {
    const ann = await service.user();
    expect(await jsonOf(ann.get('/api/skills/tea'))).toMatchObject({
      name: 'tea',
      allowed_tools: ['read_file', 'bash'],
      restricts_tools: true,
      content: '# Tea\n\nBoil.',
      files: [
        { path: 'SKILL.md', size: expect.any(Number) },
        { path: 'references/kinds.md', size: 12 },
      ],
    });
    expect(await jsonOf(ann.get('/api/skills/coffee'))).toMatchObject({
      allowed_tools: [],
      restricts_tools: false,
    });
  });

  it('[skills.detail] is 404 when it is absent or belongs to another user', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    await writeSkill(await ownFolder(ann), 'secret');
    for (const name of ['secret', 'absent', '..', '%2e%2e', 'tea%2f..', 'x'.repeat(5_000)]) {
      expect((await bob.get(`/api/skills/${name}`)).status).toBe(404);
      expect((await bob.post(`/api/skills/${name}/enable`)).status).toBe(404);
    }
  });
});

describe('switching a skill', () => {
  it('[skills.switch] affects only that person', async () => {
    const [ann, bob] = [await service.user(), await service.user()];
    expect(await jsonOf(ann.post('/api/skills/tea/disable'))).toEqual({
      success: true,
      message: "Skill 'tea' disabled",
    });
    expect(await stateOf(ann, 'tea')).toMatchObject({ enabled: false, globally_enabled: true });
    expect(await stateOf(bob, 'tea')).toMatchObject({ enabled: true });
    await ann.post('/api/skills/tea/enable', { scope: 'me' });
    expect(await stateOf(ann, 'tea')).toMatchObject({ enabled: true });
  });

  it("[skills.switch] is for everyone at an administrator's request, and users cannot override it", async () => {
    const ann = await service.user();
    expect((await ann.post('/api/skills/coffee/disable', { scope: 'everyone' })).status).toBe(403);
    expect((await admin.post('/api/skills/coffee/disable', { scope: 'everyone' })).status).toBe(200);
    expect(await stateOf(ann, 'coffee')).toMatchObject({ enabled: false, globally_enabled: false });
    expect((await ann.post('/api/skills/coffee/enable')).status).toBe(403);
    expect(await stateOf(ann, 'coffee')).toMatchObject({ enabled: false });
    const { data } = await jsonOf<{ data: { act: string; details: object }[] }>(
      admin.get('/api/audit?act=skills_change'),
    );
    expect(data[0]?.details).toMatchObject({ change: 'disable_for_everyone', skill: 'public/coffee' });
    await admin.post('/api/skills/coffee/enable', { scope: 'everyone' });
    expect(await stateOf(ann, 'coffee')).toMatchObject({ enabled: true });
  });

  it('[skills.switch] refuses nonsense, and changes nothing', async () => {
    const ann = await service.user();
    await writeSkill(await ownFolder(admin), 'mine');
    expect((await admin.post('/api/skills/mine/disable', { scope: 'everyone' })).status).toBe(400);
    expect((await ann.post('/api/skills/tea/disable', { scope: 'all' })).status).toBe(422);
    expect((await ann.post('/api/skills/tea/disable', [])).status).toBe(422);
    expect(await stateOf(ann, 'tea')).toMatchObject({ enabled: true });
  });

  it('[skills.switch] [skills.adopt] adopts the switches of an earlier release, or returns 503 when they are damaged', async () => {
    const ann = await service.user();
    const folder = join(await ownFolder(ann), '..');
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'state.json');
    await writeFile(file, '{"off": 7}');
    const answer = await ann.get('/api/skills');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('skills/state.json');
    expect((await ann.post('/api/skills/tea/disable')).status).toBe(503);
    await writeFile(file, '{"off": ["public/tea", "custom/gone"]}');
    expect(await stateOf(ann, 'tea')).toMatchObject({ enabled: false });
    await expect(access(file)).rejects.toThrow('ENOENT');
    await ann.post('/api/skills/tea/enable');
    expect(await stateOf(ann, 'tea')).toMatchObject({ enabled: true });
  });
});

describe('what runs request', () => {
  it('[skills.manage] has no skill_manage unless it is configured', async () => {
    const ann = await service.user();
    await streamed(ann, await newThread(ann), question('hello'));
    const request = service.model.requests.at(-1);
    expect(request && toolNames(request)).toContain('read_file');
    expect(request && toolNames(request)).not.toContain('skill_manage');
  });

  it('[skills.cheap] comes from memory, as the same list, while nothing changes', async () => {
    const home = await mkdtemp(join(tmpdir(), 'skills-home-'));
    const folder = join(home, 'public');
    for (let number = 0; number < 50; number += 1) await writeSkill(folder, `skill-${number}`);
    const { enabledOf } = createSkills({
      dataHome: home,
      publicFolder: folder,
      diskUseOfUser: () => ({ admit: async () => {}, added: () => {} }),
      storage: service.service.storage,
      options: { max_per_user: 100, max_package_mb: 1 },
      log: { warn: () => {} },
      now: () => 0,
      newId: () => 'an-id',
    });
    const taking = async () => {
      const began = performance.now();
      return { skills: await enabledOf('ann'), milliseconds: performance.now() - began };
    };
    const first = await taking();
    expect(first.skills).toHaveLength(50);
    const times: number[] = [];
    for (let round = 0; round < 51; round += 1) {
      const again = await taking();
      expect(again.skills).toBe(first.skills);
      times.push(again.milliseconds);
    }
    expect(times.toSorted((a, b) => a - b)[25]).toBeLessThan(first.milliseconds / 5);
    await rm(home, { recursive: true });
  });
});
