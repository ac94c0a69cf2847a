// A child and what it began: given its inputs, measured, and killed as one. What they use is known on Linux; elsewhere nobody
// knows, and nothing is counted.
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import type { ControlGroup, GroupLimits } from './cgroup.ts';

/** Each text is read from a descriptor of its own, from 3 on. */
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

/** All that are in the group that the child leads: a shell, or `npx`, does not take its children along. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

interface Held {
  /** Counts by itself. `undefined`: what is used is counted here. */
  readonly group: ControlGroup | undefined;
  readonly limits: GroupLimits;
  /** As of `processTree`. */
  readonly inMemory: readonly string[] | undefined;
}

/** The limit that the process and its descendants ran into, if any. */
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
  /** Memory that is in use; what processes share counts for each of them. */
  readonly bytes: number;
}

const PAGE_BYTES = 4_096;
/** What the kernel keeps for a socket unless asked for more: it tells nobody how much that is at the moment. */
const SOCKET_BYTES = 212_992;
/** Bubblewrap and the first process inside: what comes below them sees the folders of the box, and not the machine's. */
const LEVELS_OUTSIDE = 2;

/**
 * Counts until there are more than `maxProcesses`. What ends meanwhile counts as nothing. `inMemory` are folders that
 * processes in the box see, and that lie in memory; with them, the sockets of the box are counted.
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

/** By the first of them that has not ended: nobody looks through one that has, even while its parent waits for nobody. */
async function bytesSeenBy(pids: readonly number[], folders: readonly string[]): Promise<number> {
  for (const pid of pids) {
    const held = await Promise.all(folders.map((folder) => bytesIn(`/proc/${pid}/root${folder}`)));
    const seen = held.filter((it) => it !== undefined);
    if (seen.length > 0) return seen.reduce((sum, it) => sum + it, SOCKET_BYTES * (await socketsOf(pid)));
  }
  return 0;
}

/** In the network of the process, whoever holds them. */
async function socketsOf(pid: number): Promise<number> {
  const text = await readIfThere(`/proc/${pid}/net/sockstat`);
  return Number(/^sockets: used (\d{1,10})$/m.exec(text)?.[1] ?? 0);
}

/** `undefined`: it cannot be looked at. */
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
