// Planted paths and files: no file outside the thread is served, and no request hangs.
import { execFileSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

const CANARY = 'CANARY-of-somebody-else';
let service: TestService;
let ann: HttpClient;
let thread: string;
let workspace: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  thread = await newThread(ann);
  const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
  const folder = join(service.dataHome, 'users', id, 'threads', thread, 'user-data');
  workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'own.txt'), 'own');
  await writeFile(join(service.dataHome, 'secret.txt'), CANARY);
  await writeFile(join(folder, 'secret.txt'), CANARY);
});
afterAll(() => service.close());

async function expectRefused(path: string, threadId = thread): Promise<void> {
  for (const method of ['GET', 'HEAD']) {
    const answer = await ann.send(method, `/api/threads/${threadId}/artifacts/${path}`);
    expect([path, [400, 404].includes(answer.status)]).toEqual([path, true]);
    const text = await answer.text();
    expect([path, text.includes(CANARY), text.includes(service.dataHome)]).toEqual([path, false, false]);
  }
}

describe('a path', () => {
  it('[hostile.S01] [artifacts.traversal] that leads out of the thread is refused in every spelling', async () => {
    const out = [
      '../secret.txt',
      '..%2fsecret.txt',
      '%2e%2e/secret.txt',
      '%2e%2e%2fsecret.txt',
      '%252e%252e%252fsecret.txt',
      '..%5csecret.txt',
      '..\\secret.txt',
      '....//secret.txt',
      '.%2f..%2fsecret.txt',
      'own.txt/../../secret.txt',
      'own.txt%00.png',
      'own.txt%0d%0aX-Injected:%20yes',
      '%2fetc%2fpasswd',
      'C:%5cWindows',
      'C:/Windows',
      '%5c%5c%3f%5cC:',
      '%c0%ae%c0%ae/secret.txt',
      '',
      '%e2%80%aetxt.exe',
      `${'a/'.repeat(70)}x`,
      'x'.repeat(300),
    ];
    for (const path of out) await expectRefused(`mnt/user-data/workspace/${path}`);
    for (const path of [
      'etc/passwd',
      '/etc/passwd',
      'mnt/user-data/secret.txt',
      'mnt/user-data',
      'mnt/skills/x',
      '%00',
      'mnt/user-data/../../etc/passwd',
      'mnt%2fuser-data%2f..%2fsecret.txt',
    ])
      await expectRefused(path);
    const own = await ann.get(`/api/threads/${thread}/artifacts/mnt%2Fuser-data%2Fworkspace%2Fown.txt`);
    expect(await own.text()).toBe('own');
  });

  it('[hostile.S04] [artifacts.thread-id] with a malformed thread id never reaches a file', async () => {
    for (const id of ['..%2fx', 'x'.repeat(65), '%00', 'a.b', '%F0%9F%A6%8A']) {
      const answer = await ann.get(`/api/threads/${id}/artifacts/mnt/user-data/workspace/own.txt`);
      expect([id, answer.status]).toEqual([id, 422]);
    }
  });

  it('[artifacts.owner] to a file of another user is absent', async () => {
    const bob = await service.user('bob');
    const path = `/api/threads/${thread}/artifacts/mnt/user-data/workspace`;
    const foreign = await bob.get(`${path}/own.txt`);
    const absent = await bob.get(`/api/threads/absent/artifacts/mnt/user-data/workspace/own.txt`);
    expect([foreign.status, await foreign.text()]).toEqual([404, await absent.text()]);
    expect((await bob.get(`/api/threads/${thread}/artifacts`)).status).toBe(404);
  });
});

describe('an entry that is no plain file', () => {
  it('[hostile.S02] [artifacts.links] is absent if it is a link or has a second name, on every component', async () => {
    await symlink(join(service.dataHome, 'secret.txt'), join(workspace, 'link.txt'));
    await symlink(service.dataHome, join(workspace, 'folder'));
    await link(join(service.dataHome, 'secret.txt'), join(workspace, 'twin.txt'));
    for (const name of ['link.txt', 'folder/secret.txt', 'twin.txt', 'folder/x.skill/SKILL.md'])
      await expectRefused(`mnt/user-data/workspace/${name}`);
    const list = await (await ann.get(`/api/threads/${thread}/artifacts`)).text();
    for (const name of ['link.txt', 'secret.txt', 'twin.txt']) expect(list).not.toContain(name);
  });

  it('[artifacts.devices] is refused immediately if it is a pipe or a folder', async () => {
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    await expectRefused('mnt/user-data/workspace/pipe');
    await mkdir(join(workspace, 'inner'));
    await expectRefused('mnt/user-data/workspace/inner');
    await expectRefused('mnt/user-data/workspace');
    expect(service.complaints).toEqual([]);
  });
});
