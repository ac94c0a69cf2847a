// Which cores a process may use: a figure for one core is taken on one core.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

export const SERVER_CORE = 0;
export const OTHERS_CORE = 1;

/** Keeps all threads of a process on one core; `false` where the machine has only one, or no `taskset`. */
export function keepOnCore(pid: number, core: number): boolean {
  if (availableParallelism() < 2) return false;
  const { status } = spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });
  return status === 0;
}
