// Control groups as the kernel shows them: what is written where, in folders that stand for the second version. What the
// kernel makes of them is seen in real boxes.
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findControlGroups } from '../../src/processes/cgroup.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const LIMITS = { memoryBytes: 64 * 1_048_576, processes: 16 };
/** No process has this id, so that none is moved or ended by mistake. */
const NOBODY = 2_000_000_000;

/** A group of the second version, with this process and its parent in it. */
async function group(
  path: string,
  { procs = [process.ppid, process.pid], controllers = 'cpu memory pids', delegated = true } = {},
) {
  const root = await temporaryFolder();
  const folder = join(root, 'groups', path);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'cgroup.controllers'), `${controllers}\n`);
  await writeFile(join(folder, 'cgroup.subtree_control'), '');
  await writeFile(join(folder, 'cgroup.procs'), `${procs.join('\n')}\n`);
  for (const [pid, parent] of [
    [process.pid, process.ppid],
    [process.ppid, 1],
  ]) {
    await mkdir(join(root, 'proc', String(pid)), { recursive: true });
    await writeFile(join(root, 'proc', String(pid), 'status'), `Name:\tx\nPPid:\t${parent}\n`);
  }
  await mkdir(join(root, 'proc', 'self'), { recursive: true });
  await writeFile(join(root, 'proc', 'self', 'cgroup'), `0::/${path}\n`);
  const asked: string[] = [];
  const isDelegated = async (unit: string, at: string) => {
    asked.push(`${unit} ${at}`);
    return delegated;
  };
  return { folder, asked, view: { proc: join(root, 'proc'), groups: join(root, 'groups'), isDelegated } };
}

it('[sandbox.groups] a service of systemd steps aside and limits the group of each command', async () => {
  const { folder, view, asked } = await group('system.slice/agent.service');
  const groups = await findControlGroups(view);
  if (groups.kind !== 'usable') throw new Error(groups.reason);
  expect(await readFile(join(folder, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
  expect(await readFile(join(folder, 'agent-service', 'cgroup.procs'), 'utf8')).toBe(String(process.pid));
  expect(asked).toEqual(['agent.service /system.slice/agent.service']);
  const one = await groups.open(LIMITS);
  await one.add(NOBODY);
  const [name = ''] = await foldersWith(folder, String(NOBODY));
  const written = (file: string) => readFile(join(folder, name, file), 'utf8');
  expect([await written('memory.max'), await written('pids.max')]).toEqual(['67108864', '16']);
  expect(await one.exceeded()).toBeUndefined();
  await writeFile(join(folder, name, 'pids.events'), 'max 2\n');
  expect(await one.exceeded()).toBe('processes');
  await writeFile(join(folder, name, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n');
  expect(await one.exceeded()).toBe('memory');
});

it('[sandbox.groups] no other process is moved, and a session is not mistaken for a service', async () => {
  const others = await group('agent.service', { procs: [process.pid, NOBODY] });
  const session = await group('user.slice/session-1.scope');
  const poor = await group('agent.service', { controllers: 'cpu' });
  const systemds = await group('system.slice/cron.service', { delegated: false });
  const named = await group('user.slice/session-1.scope/agent-service');
  for (const { folder, view } of [others, session, poor, systemds, named]) {
    expect(await findControlGroups(view)).toEqual({
      kind: 'missing',
      reason: expect.stringContaining('Delegate=yes'),
    });
    await expect(access(join(folder, 'agent-service'))).rejects.toThrow();
  }
});

it('[sandbox.groups] a system without them says so', async () => {
  const nowhere = await temporaryFolder();
  expect(
    await findControlGroups({ proc: nowhere, groups: nowhere, isDelegated: async () => true }),
  ).toMatchObject({ kind: 'missing' });
});

async function foldersWith(folder: string, pid: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('agent-service-'));
  const isThere = await Promise.all(
    names.map(async (name) => {
      const procs = await readFile(join(folder, name, 'cgroup.procs'), 'utf8').catch(() => '');
      return procs === pid;
    }),
  );
  return names.filter((_, index) => isThere[index] === true);
}
