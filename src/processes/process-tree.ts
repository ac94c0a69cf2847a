// What a process and its descendants use, on Linux. Elsewhere nobody knows, and nothing is counted.
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessTree {
  readonly processes: number;
  /** Memory that is in use, in bytes; what processes share counts for each of them. */
  readonly residentBytes: number;
}

const PAGE_BYTES = 4_096;

/** Counts until there are more than `maxProcesses`. What ends meanwhile counts as nothing. */
export async function processTree(pid: number, maxProcesses: number): Promise<ProcessTree> {
  let processes = 0;
  let pages = 0;
  let generation: readonly number[] = [pid];
  while (generation.length > 0 && processes <= maxProcesses) {
    processes += generation.length;
    const looks = await Promise.all(generation.slice(0, maxProcesses + 1).map(look));
    pages += looks.reduce((sum, it) => sum + it.pages, 0);
    generation = looks.flatMap((it) => it.children);
  }
  return { processes, residentBytes: pages * PAGE_BYTES };
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
