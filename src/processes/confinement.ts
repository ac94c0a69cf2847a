// What this machine has to hold a boxed process, beside its namespaces: found out once, by trying.
import { lstat, readdir, realpath } from 'node:fs/promises';
import { type ControlGroups, findControlGroups } from './cgroup.ts';
import { PROBE_ARGUMENTS, type Probe, probeBubblewrap } from './probe-bubblewrap.ts';
import { runProcess } from './run-process.ts';
import { architectureOf, type SharedMemory, seccompFilter } from './seccomp/filter.ts';
import type { Architecture } from './seccomp/system-calls.ts';

export interface Confinement {
  readonly bubblewrap: Probe;
  readonly filter: Filter;
  readonly groups: ControlGroups;
  /** What is not seen in a box although what lies around it is. */
  readonly masks: readonly Mask[];
}

type Filter =
  /** The program for the kernel. */
  | { readonly kind: 'usable'; readonly program: Buffer }
  /** A sentence for the operator. */
  | { readonly kind: 'missing'; readonly reason: string };

export interface Mask {
  readonly kind: 'file' | 'folder';
  readonly path: string;
}

interface Wanted {
  /** Where programs are looked for. */
  readonly path: string;
  /** Files and folders of the service, which no box shows wherever they lie. */
  readonly hidden: readonly string[];
}

/**
 * What tells of the machine, or is its administrator's. The rest of `/proc` is about the processes in the box, or of no
 * interest; `/proc/sys` is shown to be read only.
 */
const MASKED = new Set([
  ...['acpi', 'asound', 'bus', 'driver', 'dynamic_debug', 'fs', 'irq', 'pressure', 'scsi', 'sysvipc'],
  ...['interrupts', 'iomem', 'ioports', 'kallsyms', 'kcore', 'key-users', 'keys', 'kmsg', 'latency_stats'],
  ...['modules', 'mtrr', 'sched_debug', 'sysrq-trigger', 'timer_list', 'timer_stats', 'config.gz'],
]);
const PID = /^\d+$/;
const FOR_OTHERS = 0o044;
const WRITABLE = 0o222;
/** What every box shows of this machine. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32'];
const PROBE_MS = 10_000;
const PROBE_OUTPUT_BYTES = 65_536;

/** Looks when it is asked first, and never again. Never rejects. */
export function createConfinement(wanted: Wanted): ConfinementOf {
  let found: Promise<Confinement> | undefined;
  return () => {
    found ??= findConfinement(wanted);
    return found;
  };
}

export type ConfinementOf = () => Promise<Confinement>;

async function findConfinement({ path, hidden }: Wanted): Promise<Confinement> {
  const [groups, kernel, own] = await Promise.all([findControlGroups(), kernelMasks(), ownMasks(hidden)]);
  const walls = await findWalls(path, groups.kind === 'usable' ? 'counted' : 'refused');
  return { ...walls, groups, masks: [...kernel, ...own] };
}

type Walls = Pick<Confinement, 'bubblewrap' | 'filter'>;

async function findWalls(path: string, sharedMemory: SharedMemory): Promise<Walls> {
  const architecture = architectureOf(process.arch);
  const program = architecture === undefined ? undefined : seccompFilter(architecture, sharedMemory);
  if (program !== undefined && (await worksWith(program, path)))
    return { bubblewrap: { works: true }, filter: { kind: 'usable', program } };
  const bubblewrap = await probeBubblewrap(path);
  return { bubblewrap, filter: { kind: 'missing', reason: whyUnfiltered(bubblewrap, architecture) } };
}

function whyUnfiltered(bubblewrap: Probe, architecture: Architecture | undefined): string {
  if (!bubblewrap.works) return 'Bubblewrap sets the filter of system calls, and does not work here.';
  return architecture === undefined
    ? `System calls are filtered on x64 and arm64, and this is ${process.arch}.`
    : 'The kernel takes no filter of system calls; it needs CONFIG_SECCOMP_FILTER.';
}

async function worksWith(filter: Buffer, path: string): Promise<boolean> {
  const outcome = await runProcess(
    {
      program: 'bwrap',
      args: ['--seccomp', '3', ...PROBE_ARGUMENTS],
      env: { PATH: path },
      inputs: [filter],
    },
    { timeoutMs: PROBE_MS, outputBytes: PROBE_OUTPUT_BYTES, watchDisk: async () => undefined },
    { signal: new AbortController().signal, output: { take() {}, end() {} } },
  );
  return outcome.kind === 'exited' && outcome.code === 0;
}

/** Also whatever only root may read or write: to a box of a service that is root, it is its own. */
async function kernelMasks(): Promise<readonly Mask[]> {
  const names = await readdir('/proc').catch(() => []);
  const masks = names
    .filter((name) => !PID.test(name))
    .map(async (name) => {
      const path = `/proc/${name}`;
      const entry = await lstat(path).catch(() => undefined);
      if (entry === undefined || entry.isSymbolicLink()) return [];
      const isForAll = (entry.mode & FOR_OTHERS) !== 0 && (entry.mode & WRITABLE) === 0;
      if (!MASKED.has(name) && isForAll) return [];
      return [{ kind: entry.isDirectory() ? ('folder' as const) : ('file' as const), path }];
    });
  return (await Promise.all(masks)).flat();
}

/** Those that lie in what every box shows, by their real paths. */
async function ownMasks(hidden: readonly string[]): Promise<readonly Mask[]> {
  const shown = await Promise.all(SHOWN.map((path) => realpath(path).catch(() => path)));
  const masks = hidden.map(async (path) => {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !shown.some((folder) => real.startsWith(`${folder}/`))) return [];
    const entry = await lstat(real);
    return [{ kind: entry.isDirectory() ? ('folder' as const) : ('file' as const), path: real }];
  });
  return (await Promise.all(masks)).flat();
}
