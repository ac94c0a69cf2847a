// The second version of control groups: a group that hands controllers down may have no processes of its own, so the
// service steps aside into a leaf of the group that it was given.
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface OwnGroup {
  readonly proc: string;
  /** Where the groups are mounted. */
  readonly groups: string;
  /** Of this process, below that. */
  readonly path: string;
}

/** The leaf. */
const LEAF = 'agent-service';
const NEEDED = ['memory', 'pids'];
const WANTED = [...NEEDED, 'cpu'];

/**
 * The folder in which groups with limits can be made; `undefined` where there is none. Only the group of a systemd service
 * or of a container is taken: any other may be somebody's session, in which others live. Rejects when the kernel refuses.
 */
export async function delegatedGroup({ proc, groups, path }: OwnGroup): Promise<string | undefined> {
  const mount = await mountOf(groups);
  const isAside = basename(path) === LEAF;
  const own = isAside ? dirname(path) : path;
  const folder = join(mount, own);
  if (!isAside && own !== '/' && !own.endsWith('.service')) return undefined;
  const available = await words(join(folder, 'cgroup.controllers'));
  if (!NEEDED.every((name) => available.includes(name))) return undefined;
  const handed = await words(join(folder, 'cgroup.subtree_control'));
  if (NEEDED.every((name) => handed.includes(name))) return folder;
  await stepAside(proc, folder);
  const wanted = WANTED.filter((name) => available.includes(name));
  await writeFile(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
  return folder;
}

/** Beside the first version, the second one is mounted in a folder of its own. */
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
  if (!pids.every((pid) => kin.has(pid))) throw new Error('Others live in this group.');
  const leaf = join(folder, LEAF);
  await mkdir(leaf, { recursive: true });
  for (const pid of pids) await writeFile(join(leaf, 'cgroup.procs'), String(pid));
}

/** The process and those that it descends from: `npm start` is two of them. */
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
