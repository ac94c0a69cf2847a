// The usage of another process: CPU time and resident memory, from /proc. Zero without /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU of all threads of the process that are alive. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    const [onCpu = '0'] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
    nanoseconds += Number(onCpu);
  }
  return nanoseconds / 1_000;
}

/** Processes of a Postgres server on this machine that serve one of its databases, by what they call themselves. */
export function postgresProcesses(database: string): readonly number[] {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  const serves = (pid: string) => {
    const title = read(`/proc/${pid}/cmdline`);
    return title.startsWith('postgres:') && title.includes(` ${database} `);
  };
  return pids.filter(serves).map(Number);
}

/** Megabytes of resident memory. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) / 1_024;
}

/** Takes the highest resident memory until it is stopped. */
export function watchMemory(pid: number): { stop(): number } {
  let peak = residentMegabytes(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid));
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(peak, residentMegabytes(pid));
    },
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
