// Version 2 of control groups. A group that delegates controllers may have no processes of its own, so the
// service moves into a leaf of the group that it was given.
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { askProgram } from './ask-program.ts';

interface OwnGroup {
  readonly proc: string;
  /** Where the groups are mounted. */
  readonly groups: string;
  /** The group of this process, relative to `groups`. */
  readonly path: string;
  readonly isDelegated: (unit: string, path: string) => Promise<boolean>;
}

const LEAF = 'agent-service';
const NEEDED = ['memory', 'pids'];
const WANTED = [...NEEDED, 'cpu'];

/**
 * Returns the folder in which groups with limits can be created; `undefined` where there is none. Accepts
 * only the group of a container, or of a service to which systemd delegates it. Any other belongs to systemd,
 * or to a session with other processes. Rejects when the kernel refuses, or other processes share the group.
 */
export async function delegatedGroup({
  proc,
  groups,
  path,
  isDelegated,
}: OwnGroup): Promise<string | undefined> {
  const mount = await mountOf(groups);
  const isAside = basename(path) === LEAF;
  const own = isAside ? dirname(path) : path;
  const folder = join(mount, own);
  if (own !== '/' && !(own.endsWith('.service') && (await isDelegated(basename(own), own)))) return undefined;
  const available = await words(join(folder, 'cgroup.controllers'));
  if (!NEEDED.every((name) => available.includes(name))) return undefined;
  const handed = await words(join(folder, 'cgroup.subtree_control'));
  if (NEEDED.every((name) => handed.includes(name))) return folder;
  await stepAside(proc, folder);
  const wanted = WANTED.filter((name) => available.includes(name));
  await writeFile(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
  return folder;
}

const ASK_MS = 5_000;

/**
 * Asks systemd about a service that runs as root, which may write everywhere. Any other user can write only
 * to a group that was delegated.
 */
export async function isDelegatedBySystemd(unit: string, path: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  const outcome = await askProgram({
    program: 'systemctl',
    args: ['show', '--property=Delegate', '--property=ControlGroup', '--', unit],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: ASK_MS,
  });
  if (outcome.kind !== 'answered') return false;
  const said = new Set(outcome.stdout.split('\n'));
  return said.has('Delegate=yes') && said.has(`ControlGroup=${path}`);
}

/** Beside version 1, version 2 is mounted in a folder of its own. */
async function mountOf(groups: string): Promise<string> {
  const unified = join(groups, 'unified');
  return access(join(unified, 'cgroup.controllers'), constants.R_OK).then(
    () => unified,
    () => groups,
  );
}

async function stepAside(proc: string, folder: string): Promise<void> {
  const pids = (await words(join(folder, 'cgroup.procs'))).map(Number);
  const kin = await ancestors(proc, process.pid);
  if (!pids.every((pid) => kin.has(pid))) throw new Error('Other processes are in this group.');
  const leaf = join(folder, LEAF);
  await mkdir(leaf, { recursive: true });
  for (const pid of pids) await writeFile(join(leaf, 'cgroup.procs'), String(pid));
}

/** Returns the process and its ancestors: `npm start` consists of two. */
async function ancestors(proc: string, pid: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (let at = pid; at > 0 && !found.has(at); ) {
    found.add(at);
    const status = await readFile(join(proc, String(at), 'status'), 'utf8').catch(() => '');
    at = Number(/^PPid:\t(\d{1,10})$/m.exec(status)?.[1] ?? 0);
  }
  return found;
}

async function words(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8');
  return text.split(/\s/).filter(Boolean);
}
