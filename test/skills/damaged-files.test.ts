// Files of skills that cannot be read, or were written by somebody else: nothing is taken for absent that is not.
import { rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { customFolder, skillText } from '../support/skill-files.ts';

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

/** While `use` works, the file cannot be opened, whoever asks: a socket is in its place. */
async function unreadable(path: string, use: () => Promise<void>): Promise<void> {
  const socket = join(tmpdir(), `socket-${process.pid}`);
  const server = createServer();
  await new Promise<void>((listening) => server.listen(socket, listening));
  await rename(path, `${path}.aside`);
  await rename(socket, path);
  try {
    await use();
  } finally {
    await rm(path);
    await rename(`${path}.aside`, path);
    await new Promise((closed) => server.close(closed));
  }
}

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
