// Control groups of the kernel, which limit a command and its descendants together: memory and processes.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { delegatedGroup, isDelegatedBySystemd } from './cgroup-delegation.ts';

export interface GroupLimits {
  /** Includes files in memory-backed folders, and memory that belongs to no process. */
  readonly memoryBytes: number;
  /** Threads count as well. */
  readonly processes: number;
}

/** The group of one command. */
export interface ControlGroup {
  /** Adds the process, and everything that it starts from now on. */
  add(pid: number): Promise<void>;
  /** Returns the limit that a process in the group hit, if any. */
  exceeded(): Promise<'memory' | 'processes' | undefined>;
  /** Kills the remaining processes and removes the group, in the background. */
  end(): void;
}

export type ControlGroups =
  | { readonly kind: 'usable'; open(limits: GroupLimits): Promise<ControlGroup> }
  /** A sentence for the operator. */
  | { readonly kind: 'missing'; readonly reason: string };

/** Where the kernel shows its groups and those of this process. */
export interface KernelView {
  readonly proc: string;
  readonly groups: string;
  /** True when the group at this path, of this systemd unit, was delegated to the unit. */
  readonly isDelegated: (unit: string, path: string) => Promise<boolean>;
}

/** The folders in which groups are created: one for all controllers, or one for each. */
type Hierarchies =
  | { readonly version: 2; readonly all: string }
  | { readonly version: 1; readonly memory: string; readonly pids: string };

const KERNEL: KernelView = { proc: '/proc', groups: '/sys/fs/cgroup', isDelegated: isDelegatedBySystemd };
const PREFIX = 'agent-service-';
const NAME = /^agent-service-(\d{1,10})-[0-9a-f]{12}$/;
/** The default is 100, so the service itself has priority. */
const CPU_WEIGHT = '50';
const REMOVE_TRIES = 100;
const REMOVE_PAUSE_MS = 50;
const PROBE: GroupLimits = { memoryBytes: 1_048_576, processes: 8 };

/** Creates a group as a trial, and removes groups that a killed service left behind. Never rejects. */
export async function findControlGroups(view: KernelView = KERNEL): Promise<ControlGroups> {
  try {
    const found = await hierarchies(view);
    if (typeof found === 'string') return { kind: 'missing', reason: found };
    for (const folder of foldersOf(found)) await sweep(folder);
    (await openGroup(found, PROBE)).end();
    return { kind: 'usable', open: (limits) => openGroup(found, limits) };
  } catch {
    return { kind: 'missing', reason: NOT_WRITABLE };
  }
}

const NOT_WRITABLE =
  'This user is not allowed to create control groups here. Run the service as a systemd service with Delegate=yes.';
const NONE = 'This system has no control groups with the controllers memory and pids.';

async function hierarchies({ proc, groups, isDelegated }: KernelView): Promise<Hierarchies | string> {
  const lines = (await readFile(join(proc, 'self', 'cgroup'), 'utf8').catch(() => '')).split('\n');
  const paths = new Map(
    lines.flatMap((line) => {
      const [, controllers = '', ...path] = line.split(':');
      return path.length === 0 ? [] : [[controllers, path.join(':')] as const];
    }),
  );
  const [memory, pids] = ['memory', 'pids'].map((name) => paths.get(name));
  if (memory !== undefined && pids !== undefined) {
    const [memoryFolder, pidsFolder] = await Promise.all([
      existing(join(groups, 'memory'), memory),
      existing(join(groups, 'pids'), pids),
    ]);
    return { version: 1, memory: memoryFolder, pids: pidsFolder };
  }
  const unified = paths.get('');
  if (unified === undefined) return NONE;
  const all = await delegatedGroup({ proc, groups, isDelegated, path: unified });
  if (all === undefined) return NOT_WRITABLE;
  return { version: 2, all };
}

/** In a container, the path is that of the surrounding machine, and the mount is the group itself. */
async function existing(mount: string, path: string): Promise<string> {
  const folder = join(mount, path);
  return (await readdir(folder).catch(() => undefined)) === undefined ? mount : folder;
}

function foldersOf(found: Hierarchies): readonly string[] {
  return found.version === 2 ? [found.all] : [found.memory, found.pids];
}

async function openGroup(found: Hierarchies, limits: GroupLimits): Promise<ControlGroup> {
  const name = `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`;
  const folders = foldersOf(found).map((folder) => join(folder, name));
  const [memory = '', pids = memory] = folders;
  const end = (): void => {
    for (const folder of folders) void remove(folder);
  };
  try {
    await Promise.all(folders.map((folder) => mkdir(folder)));
    await Promise.all([
      found.version === 2 ? limitMemory(memory, limits) : limitMemoryOfOld(memory, limits),
      writeFile(join(pids, 'pids.max'), String(limits.processes)),
    ]);
  } catch (error) {
    end();
    throw error;
  }
  const kills = join(memory, found.version === 2 ? 'memory.events' : 'memory.oom_control');
  return {
    async add(pid) {
      await Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(pid))));
    },
    async exceeded() {
      if ((await counted(kills, 'oom_kill')) > 0) return 'memory';
      return (await counted(join(pids, 'pids.events'), 'max')) > 0 ? 'processes' : undefined;
    },
    end,
  };
}

async function limitMemory(folder: string, { memoryBytes }: GroupLimits): Promise<void> {
  await writeFile(join(folder, 'memory.max'), String(memoryBytes));
  // Writes only the files that the kernel has: without swap, there is no file for its limit.
  await Promise.all([
    writeIfThere(join(folder, 'memory.swap.max'), '0'),
    writeIfThere(join(folder, 'memory.oom.group'), '1'),
    writeIfThere(join(folder, 'cpu.weight'), CPU_WEIGHT),
  ]);
}

/** Version 1: the limit with swap cannot be below the limit without. */
async function limitMemoryOfOld(folder: string, { memoryBytes }: GroupLimits): Promise<void> {
  await writeFile(join(folder, 'memory.limit_in_bytes'), String(memoryBytes));
  await writeIfThere(join(folder, 'memory.memsw.limit_in_bytes'), String(memoryBytes));
}

async function writeIfThere(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'r+' }).catch(() => undefined);
}

/** Returns the number after a name; 0 when the file is gone or has no such line. */
async function counted(path: string, name: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const line = text.split('\n').find((it) => it.trim().startsWith(`${name} `));
  return Number(line?.trim().split(' ')[1] ?? 0);
}

/** Retries, because only an empty group can be removed, and a killed process stays in it for a moment. */
async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    }
    await killAll(folder);
    await new Promise<void>((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS).unref());
  }
}

async function killAll(folder: string): Promise<void> {
  const pids = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const pid of pids.split('\n').map(Number)) {
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

/** Removes the groups of services that no longer run. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(NAME.exec(basename(name))?.[1] ?? 0);
    if (pid > 0 && !isAlive(pid)) await rmdir(join(folder, name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
