// What this machine offers to confine a boxed process besides namespaces, determined by trials.
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { askProgram } from './ask-program.ts';
import { type ControlGroups, findControlGroups } from './cgroup.ts';
import { collectedOutput } from './outcome.ts';
import { runProcess } from './run-process.ts';
import { architectureOf, seccompFilter } from './seccomp/filter.ts';
import type { Architecture } from './seccomp/system-calls.ts';

export interface Confinement {
  /**
   * True when every program that was tried responded in time. Until then, all barriers apply, and a command
   * that this machine cannot confine does not start.
   */
  readonly answered: boolean;
  readonly bubblewrap: Probe;
  readonly filter: Filter;
  readonly groups: ControlGroups;
  /** Paths that are hidden in a box although the folders around them are shown. */
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
  /** The search path for programs. */
  readonly path: string;
  /** Files and folders of the service, which no box shows, wherever they lie. */
  readonly hidden: readonly string[];
  /** How long each trial may take. */
  readonly probeMs?: number;
}

/**
 * Entries of `/proc` that reveal something about the machine or belong to its administrator. The other
 * entries concern the processes in the box or are harmless. `/proc/sys` is shown read-only.
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

/**
 * Runs the trials at the first call, and again while a program has not responded. Determines the masks at
 * every call. Never rejects.
 */
export function createConfinement(wanted: Wanted): ConfinementOf {
  const kernelMasks = createKernelMasks();
  let trying: Promise<Walls> | undefined;
  const walls = async (): Promise<Walls> => {
    trying ??= findWalls(wanted);
    const found = await trying;
    if (!found.answered) trying = undefined;
    return found;
  };
  return async () => {
    const [found, kernel, own] = await Promise.all([walls(), kernelMasks(), ownMasks(wanted.hidden)]);
    return { ...found, masks: [...kernel, ...own] };
  };
}

export type ConfinementOf = () => Promise<Confinement>;

type Walls = Omit<Confinement, 'masks'>;

async function findWalls({ path, probeMs = PROBE_MS }: Wanted): Promise<Walls> {
  const groups = await findControlGroups();
  const architecture = architectureOf(process.arch);
  const filter: Filter | undefined = architecture && {
    kind: 'usable',
    program: seccompFilter(architecture, groups.kind === 'usable' ? 'counted' : 'refused'),
  };
  const works = { works: true } as const;
  const tried = filter && (await tryFilter(filter.program, path, probeMs));
  if (filter !== undefined && tried !== 'refused')
    return { answered: tried === 'works', bubblewrap: works, filter, groups };
  const bubblewrap = await probeBubblewrap(path, probeMs);
  const missing = { kind: 'missing', reason: whyUnfiltered(bubblewrap ?? works, architecture) } as const;
  if (bubblewrap === undefined)
    return { answered: false, bubblewrap: works, filter: filter ?? missing, groups };
  return { answered: true, bubblewrap, filter: missing, groups };
}

function whyUnfiltered(bubblewrap: Probe, architecture: Architecture | undefined): string {
  if (!bubblewrap.works) return 'Bubblewrap, which sets the system call filter, does not work here.';
  return architecture === undefined
    ? `System calls are filtered on x64 and arm64, and this is ${process.arch}.`
    : 'The kernel does not support system call filters; it needs CONFIG_SECCOMP_FILTER.';
}

async function tryFilter(
  filter: Uint8Array,
  path: string,
  timeoutMs: number,
): Promise<'works' | 'refused' | 'unanswered'> {
  const outcome = await runProcess(
    {
      program: 'bwrap',
      args: ['--seccomp', '3', ...PROBE_ARGUMENTS],
      env: { PATH: path },
      inputs: [filter],
    },
    { timeoutMs, outputBytes: PROBE_OUTPUT_BYTES },
    { signal: new AbortController().signal, output: collectedOutput().output },
  );
  if (outcome.kind === 'stopped' && outcome.cause === 'timeout') return 'unanswered';
  return outcome.kind === 'exited' && outcome.code === 0 ? 'works' : 'refused';
}

/**
 * Also masks entries that only root may read or write, because in a box of a service that runs as root they
 * are accessible. Drivers that are loaded later add entries, so every call reads all names, but each entry
 * only once.
 */
function createKernelMasks(): () => Promise<readonly Mask[]> {
  const known = new Map<string, readonly Mask[]>();
  return async () => {
    const names = (await readdir('/proc').catch(() => [])).filter((name) => !PID.test(name));
    for (const name of names) known.set(name, known.get(name) ?? (await kernelMask(name)));
    return names.flatMap((name) => known.get(name) ?? []);
  };
}

async function kernelMask(name: string): Promise<readonly Mask[]> {
  const path = `/proc/${name}`;
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined || entry.isSymbolicLink()) return [];
  const isForAll = (entry.mode & FOR_OTHERS) !== 0 && (entry.mode & WRITABLE) === 0;
  return !MASKED.has(name) && isForAll ? [] : [maskOf(entry, path)];
}

function maskOf(entry: Stats, path: string): Mask {
  return { kind: entry.isDirectory() ? 'folder' : 'file', path };
}

/** Masks the hidden paths that lie in folders shown by every box, by their real paths. */
async function ownMasks(hidden: readonly string[]): Promise<readonly Mask[]> {
  const shown = await Promise.all(SHOWN.map((path) => realpath(path).catch(() => path)));
  const masks = hidden.map(async (path) => {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !shown.some((folder) => real.startsWith(`${folder}/`))) return [];
    const entry = await lstat(real).catch(() => undefined);
    return entry === undefined ? [] : [maskOf(entry, real)];
  });
  return (await Promise.all(masks)).flat();
}

/** Whether bubblewrap is installed and may create the namespaces that the sandbox needs. */
export type Probe = { readonly works: true } | { readonly works: false; readonly reason: string };

/** A box that shows everything, in which nothing happens. */
const PROBE_ARGUMENTS: readonly string[] = [
  ...['--unshare-user', '--unshare-all', '--disable-userns'],
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  'true',
];

/**
 * Runs `true` in a box. Never rejects. The reason is a sentence for the operator. Resolves with `undefined`
 * when it did not respond in time.
 */
async function probeBubblewrap(path: string, timeoutMs: number): Promise<Probe | undefined> {
  const asked = { program: 'bwrap', args: PROBE_ARGUMENTS, env: { PATH: path }, timeoutMs };
  const outcome = await askProgram(asked);
  switch (outcome.kind) {
    case 'answered':
      return { works: true };
    case 'missing':
      return { works: false, reason: 'Install it (Debian: apt-get install bubblewrap).' };
    case 'unanswered':
      return undefined;
    case 'failed':
      return {
        works: false,
        reason: `It may not make namespaces here: ${outcome.stderr.trim().slice(0, 200)}`,
      };
  }
}
