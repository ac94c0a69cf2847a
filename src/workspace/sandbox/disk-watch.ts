// Watches whether a running command takes more of the disk than it may.
import type { ProcessLimits } from '../../processes/run-process.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUse, DiskUseOf } from '../quota/disk-use.ts';
import { createFreeDisk } from '../quota/free-disk.ts';
import { least, type Space } from '../quota/space.ts';
import type { SandboxOptions } from './sandbox-options.ts';

interface DiskWatchParts {
  readonly dataHome: string;
  readonly options: Pick<SandboxOptions, 'min_free_mb'>;
  readonly diskUseOf: DiskUseOf;
}

/** The pause after a count, as a multiple of its time: counting takes at most about a twentieth. */
const REST_FACTOR = 20;
const LEAST_REST_MS = 1_000;
const KINDS = ['bytes', 'entries'] as const;

/** Counts the existing files first. The command may start when this resolves; later growth is its own. */
export async function diskWatch(
  { dataHome, options, diskUseOf }: DiskWatchParts,
  place: WorkspacePlace,
): Promise<Required<ProcessLimits>['watchDisk']> {
  const diskUse = diskUseOf(place);
  const isOver = quotaWatch(diskUse, await countedNow(diskUse));
  const freeDisk = createFreeDisk(dataHome, options);
  return async () => {
    if ((await freeDisk()) < 0) return 'disk';
    return (await isOver()) ? 'quota' : undefined;
  };
}

/** The previous command may have written after the last count, until it was killed. */
async function countedNow(diskUse: DiskUse): Promise<Space> {
  diskUse.changed();
  try {
    return (await diskUse.usage()).thread.used;
  } catch {
    return { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY };
  }
}

/** A user who is over the limit may still run commands that remove files. */
function quotaWatch(diskUse: DiskUse, begun: Space): () => Promise<boolean> {
  let fewest = begun;
  let isCounting = false;
  let nextAt = performance.now() + LEAST_REST_MS;
  return async () => {
    const startedAt = performance.now();
    if (isCounting || startedAt < nextAt) return false;
    isCounting = true;
    try {
      const before = fewest;
      diskUse.changed();
      const { thread, user } = await diskUse.usage();
      fewest = least(before, thread.used);
      const isOver = (kind: keyof Space): boolean =>
        thread.used[kind] > thread.limit[kind] || (user !== null && user.used[kind] > user.limit[kind]);
      return KINDS.some((kind) => isOver(kind) && thread.used[kind] > before[kind]);
    } finally {
      isCounting = false;
      const now = performance.now();
      nextAt = now + Math.max(LEAST_REST_MS, (now - startedAt) * REST_FACTOR);
    }
  };
}
