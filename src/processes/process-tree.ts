// What a process and its descendants use, on Linux. Elsewhere nobody knows, and nothing is counted.
import { readdir, readFile, statfs } from 'node:fs/promises';

export interface ProcessTree {
  readonly processes: number;
  /** Memory that is in use; what processes share counts for each of them. */
  readonly bytes: number;
}

const PAGE_BYTES = 4_096;
/** Bubblewrap, the first process inside, and the command: with fewer, the box is not ready, and folders are the machine's. */
const LEVELS_OF_BOX = 3;

/**
 * Counts until there are more than `maxProcesses`. What ends meanwhile counts as nothing. `inMemory` are folders that the
 * youngest of them sees, and that lie in memory.
 */
export async function processTree(
  pid: number,
  maxProcesses: number,
  inMemory: readonly string[] = [],
): Promise<ProcessTree> {
  let processes = 0;
  let pages = 0;
  let levels = 0;
  let last = pid;
  let generation: readonly number[] = [pid];
  while (generation.length > 0 && processes <= maxProcesses) {
    processes += generation.length;
    levels += 1;
    last = generation[0] ?? last;
    const looks = await Promise.all(generation.slice(0, maxProcesses + 1).map(look));
    pages += looks.reduce((sum, it) => sum + it.pages, 0);
    generation = looks.flatMap((it) => it.children);
  }
  const folders = levels < LEVELS_OF_BOX ? [] : inMemory;
  const held = await Promise.all(folders.map((folder) => bytesIn(`/proc/${last}/root${folder}`)));
  return { processes, bytes: pages * PAGE_BYTES + held.reduce((sum, it) => sum + it, 0) };
}

async function bytesIn(folder: string): Promise<number> {
  try {
    const { blocks, bfree, bsize } = await statfs(folder);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}

interface Look {
  readonly pages: number;
  readonly children: readonly number[];
}

async function look(pid: number): Promise<Look> {
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
