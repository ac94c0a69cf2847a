// A child and its descendants: gives them inputs, measures them, and kills them together. Usage is known on
// Linux only; elsewhere nothing is counted.
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import type { ControlGroup, GroupLimits } from './cgroup.ts';

/** Writes each input to a descriptor of its own, from 3 on. */
export function giveInputs(
  { pid, stdio }: ChildProcess,
  inputs: readonly (string | Uint8Array)[] = [],
): void {
  if (pid === undefined) return;
  for (const [index, text] of inputs.entries()) {
    const pipe = stdio[index + 3];
    if (pipe === undefined || pipe === null || !('end' in pipe)) continue;
    pipe.on('error', () => {});
    pipe.end(text);
  }
}

/**
 * Kills all processes in the group that the child leads. Killing only a shell, or `npx`, would leave its
 * children running.
 */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

interface Held {
  /** Counts by itself. `undefined`: the usage is measured here. */
  readonly group: ControlGroup | undefined;
  readonly limits: GroupLimits;
  /** As for `processTree`. */
  readonly inMemory: readonly string[] | undefined;
}

/** Returns the limit that the process and its descendants hit, if any. */
export async function exceededBy(
  pid: number,
  { group, limits, inMemory }: Held,
): Promise<'memory' | 'processes' | undefined> {
  if (group !== undefined) return group.exceeded();
  const { processes, bytes } = await processTree(pid, limits.processes, inMemory);
  if (processes > limits.processes) return 'processes';
  return bytes > limits.memoryBytes ? 'memory' : undefined;
}

interface ProcessTree {
  readonly processes: number;
  /** Memory in use. Shared memory counts for each process that shares it. */
  readonly bytes: number;
}

const PAGE_BYTES = 4_096;
/** What the kernel reserves for a socket by default. It does not report the current amount. */
const SOCKET_BYTES = 212_992;
/** Bubblewrap and the first process inside. Those below see the folders of the box, not the machine's. */
const LEVELS_OUTSIDE = 2;

/**
 * Counts until there are more than `maxProcesses`. A process that ends in between counts as nothing.
 * `inMemory` lists memory-backed folders that processes in the box see; with them, the sockets of the box
 * count too.
 */
async function processTree(
  pid: number,
  maxProcesses: number,
  inMemory: readonly string[] = [],
): Promise<ProcessTree> {
  let processes = 0;
  let pages = 0;
  const boxed: number[] = [];
  let generation: readonly number[] = [pid];
  for (let level = 1; generation.length > 0 && processes <= maxProcesses; level++) {
    processes += generation.length;
    if (level > LEVELS_OUTSIDE) boxed.push(...generation);
    const measured = await Promise.all(generation.slice(0, maxProcesses + 1).map(measure));
    pages += measured.reduce((sum, it) => sum + it.pages, 0);
    generation = measured.flatMap((it) => it.children);
  }
  return { processes, bytes: pages * PAGE_BYTES + (await bytesSeenBy(boxed, inMemory)) };
}

/**
 * Measures through the first process that has not ended. An ended one shows no folders, even while its parent
 * has not waited for it.
 */
async function bytesSeenBy(pids: readonly number[], folders: readonly string[]): Promise<number> {
  for (const pid of pids) {
    const held = await Promise.all(folders.map((folder) => bytesIn(`/proc/${pid}/root${folder}`)));
    const seen = held.filter((it) => it !== undefined);
    if (seen.length > 0) return seen.reduce((sum, it) => sum + it, SOCKET_BYTES * (await socketsOf(pid)));
  }
  return 0;
}

/** Counts the sockets in the network of the process, whichever process holds them. */
async function socketsOf(pid: number): Promise<number> {
  const text = await readIfThere(`/proc/${pid}/net/sockstat`);
  return Number(/^sockets: used (\d{1,10})$/m.exec(text)?.[1] ?? 0);
}

/** Returns `undefined` when the folder cannot be inspected. */
async function bytesIn(folder: string): Promise<number | undefined> {
  try {
    const { blocks, bfree, bsize } = await statfs(folder);
    return (blocks - bfree) * bsize;
  } catch {
    return undefined;
  }
}

interface Measured {
  readonly pages: number;
  readonly children: readonly number[];
}

async function measure(pid: number): Promise<Measured> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const [statm, ...children] = await Promise.all([
    readIfThere(`/proc/${pid}/statm`),
    ...threads.map((thread) => readIfThere(`/proc/${pid}/task/${thread}/children`)),
  ]);
  const ids = children.flatMap((text) => text.split(' ').filter(Boolean).map(Number));
  return { pages: Number(statm.split(' ')[1] ?? 0), children: ids };
}

function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
