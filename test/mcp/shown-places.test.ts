// The files of this machine that a program of a tool server can reach, whatever paths its arguments name.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testConfinement } from '../support/confinement.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';
import { hostile, untilListed, writeServers } from './tool-servers.ts';

const { bubblewrap } = await testConfinement();
const SEEN = z.array(z.object({ names: z.array(z.string()), reads: z.boolean(), writes: z.boolean() }));

let runs: ToolRuns;
let around: string;

beforeAll(async () => {
  runs = await openToolRuns();
  around = await realpath(await mkdtemp(join(tmpdir(), 'service-')));
  const { dataHome } = runs.test;
  await mkdir(join(around, 'given'));
  for (const name of ['server.py', 'secret.txt']) await writeFile(join(around, name), name);
  for (const [name, to] of Object.entries({ home: dataHome, etc: '/etc', usr: '/usr/share' })) {
    await symlink(to, join(around, name));
  }
  const good = [join(around, 'given'), `/${join(around, 'server.py')}`];
  const links = ['home', 'etc', 'usr'].map((name) => join(around, name));
  const bad = [
    `/${dataHome}`,
    join(around, 'home', 'users'),
    '//',
    '//etc',
    '/var/run',
    '/opt/../etc',
    ...links,
  ];
  await writeServers(dataHome, { curious: hostile(...good, ...bad) });
  await runs.call({ name: 'ls', args: { path: '/mnt/user-data' } });
  await untilListed(dataHome, 1);
});
afterAll(async () => {
  await runs.close();
  await rm(around, { recursive: true, force: true });
});

async function look(...paths: readonly string[]) {
  const [answer] = await runs.call({ name: 'curious_look', args: { paths } });
  return SEEN.parse(JSON.parse(answer?.text ?? ''));
}

const NOTHING = { names: [], reads: false, writes: false };

describe.runIf(bubblewrap.works)('what a program of a tool server is shown', () => {
  it('[mcp.processes.places] a folder in the arguments is writable, and a file is shown without its neighbors', async () => {
    const [given, file, folder] = await look(join(around, 'given'), join(around, 'server.py'), around);
    expect(given).toMatchObject({ reads: true, writes: true });
    expect(file).toMatchObject({ reads: true, writes: false });
    expect(folder?.names.toSorted()).toEqual(['given', 'server.py']);
  });

  it('[mcp.processes.places] the data home is never shown, however its path is written', async () => {
    const { dataHome } = runs.test;
    const secret = join(dataHome, 'mcp.json');
    expect(await look(secret, join(around, 'home'), join(around, 'home', 'users'))).toEqual(
      Array(3).fill(NOTHING),
    );
  });

  it('[mcp.processes.places] system folders are never shown, by two slashes, dots or a link', async () => {
    const [root, etc, run, linkToEtc, linkToUsr] = await look(
      ...['/', '/etc', '/var/run', join(around, 'etc'), join(around, 'usr')],
    );
    expect(root).toMatchObject({ writes: false, names: expect.not.arrayContaining(['root', 'boot']) });
    expect(etc?.writes).toBe(false);
    expect(etc?.names).not.toContain('shadow');
    expect([run, linkToEtc, linkToUsr]).toEqual(Array(3).fill(NOTHING));
  });
});
