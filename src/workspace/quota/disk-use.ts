// What the files of a thread and of a person take on disk, and whether more fits
// (docs/decisions/0032-quotas.md).
import { ServiceError } from '../../errors.ts';
import { threadFolderNames, userDataNames, type WorkspacePlace } from '../paths.ts';
import { countSpace, createCounts } from './counts.ts';
import { createFreeDisk, diskFull, type FreeDisk } from './free-disk.ts';
import type { QuotaOptions } from './quota-options.ts';
import { least, minus, NO_SPACE, plus, type Space } from './space.ts';

interface Capacity {
  /** What may still be added; below 0 when the limit is already exceeded. */
  readonly left: number;
  /** Creates the error for a lack of it. */
  readonly refusal: () => ServiceError;
}

interface DiskCapacity {
  readonly bytes: Capacity;
  readonly entries: Capacity;
}

interface Use {
  readonly used: Space;
  readonly limit: Space;
}

/** `user`: everything of the person, with the data in the database that counts; `null` without an owner. */
export interface DiskUsage {
  readonly thread: Use;
  readonly user: Use | null;
}

/** The disk use of one thread. */
export interface DiskUse {
  /**
   * Counts again before returning less than `wanted`. Throws `insufficient_storage` on a nearly full disk.
   */
  capacity(wanted: Space): Promise<DiskCapacity>;
  /** Throws `payload_too_large` or `insufficient_storage` when this much more is too much. */
  admit(growth: Space): Promise<void>;
  /** Records what was added, or with a minus removed, since the last count. */
  added(more: Space): void;
  /** Discards the last count, because a writer did not report what it changed. */
  changed(): void;
  /** Returns counts that are at most a minute old. */
  usage(): Promise<DiskUsage>;
  /** Returns what may be stored beside the files, to undo changes; at least 0. */
  spare(): Promise<Space>;
}

export type DiskUseOf = (place: WorkspacePlace) => DiskUse;

/** The disk use of a person outside of threads. `added` and `admit` work as for a thread. */
export type DiskUseOfUser = (userId: string) => Pick<DiskUse, 'admit' | 'added'>;

interface Disk {
  readonly diskUseOf: DiskUseOf;
  readonly diskUseOfUser: DiskUseOfUser;
  /**
   * Adds bytes of metadata, or of items in the store, to a person's count. Throws `payload_too_large` when
   * that is too much, but only after it has counted again. Data without an owner is not limited.
   */
  admitMetadata(userId: string | null, bytes: number): Promise<void>;
}

interface DiskParts {
  readonly dataHome: string;
  readonly options: QuotaOptions;
  /** Returns the bytes of a person's metadata and items in the store. */
  readonly storedBytes: (userId: string) => Promise<number>;
}

const MIB = 1_048_576;

/** One set of counts serves all threads. */
export function createDiskUse({ dataHome, options, storedBytes }: DiskParts): Disk {
  const limits = limitsOf(options);
  const counts = createCounts({
    countThread: (place) => countSpace(dataHome, userDataNames(place)),
    async countUser(userId) {
      const files = await countSpace(dataHome, ['users', userId]);
      return plus(files, { bytes: await storedBytes(userId), entries: 0 });
    },
  });
  const freeDisk = createFreeDisk(dataHome, options);
  const ofThread = async (place: WorkspacePlace): Promise<DiskCapacity> =>
    capacityIn(minus(limits.thread, await counts.ofThread(place)), THREAD_FULL, options);
  const ofUser = async (userId: string): Promise<DiskCapacity> =>
    capacityIn(minus(limits.user, await counts.ofUser(userId)), USER_FULL, options);
  const diskUseOf: DiskUseOf = (place) => {
    // Refuses a malformed id before anything is counted.
    threadFolderNames(place);
    const { userId } = place;
    const believed = async (): Promise<DiskCapacity> => {
      const capacities = [await capacityOn(freeDisk), await ofThread(place)];
      return smallest(userId === null ? capacities : [...capacities, await ofUser(userId)]);
    };
    const capacity = (wanted: Space) => recounted(wanted, believed, () => counts.forget(place));
    return {
      capacity,
      admit: (growth) => refuseLack(growth, capacity),
      added: (more) => counts.add(place, more),
      changed: () => counts.doubt(place),
      async usage() {
        const thread = { used: await counts.ofThread(place), limit: limits.thread };
        if (userId === null) return { thread, user: null };
        return { thread, user: { used: await counts.ofUser(userId), limit: limits.user } };
      },
      async spare() {
        const used = userId === null ? NO_SPACE : await counts.ofUser(userId);
        const free = { bytes: await freeDisk(), entries: limits.user.entries };
        const left = least(minus(limits.user, used), free);
        return { bytes: Math.max(0, left.bytes), entries: Math.max(0, left.entries) };
      },
    };
  };
  const capacityOfUser = (userId: string, believed: () => Promise<DiskCapacity>) => (wanted: Space) =>
    recounted(wanted, believed, () => counts.forgetUser(userId));
  return {
    diskUseOf,
    diskUseOfUser(userId) {
      const believed = async () => smallest([await capacityOn(freeDisk), await ofUser(userId)]);
      return {
        admit: (growth) => refuseLack(growth, capacityOfUser(userId, believed)),
        added: (more) => counts.addToUser(userId, more),
      };
    },
    async admitMetadata(userId, bytes) {
      if (userId === null || bytes <= 0) return;
      const more = { bytes, entries: 0 };
      await refuseLack(
        more,
        capacityOfUser(userId, () => ofUser(userId)),
      );
      counts.addToUser(userId, more);
    },
  };
}

/** Limits nothing. */
export const NO_LIMITS: DiskUseOf = () => ({
  capacity: async () => ({ bytes: UNBOUNDED, entries: UNBOUNDED }),
  admit: async () => {},
  added: () => {},
  changed: () => {},
  usage: async () => ({ thread: { used: NO_SPACE, limit: UNLIMITED }, user: null }),
  spare: async () => UNLIMITED,
});

const UNBOUNDED: Capacity = { left: Number.POSITIVE_INFINITY, refusal: diskFull };
const UNLIMITED: Space = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY };

function limitsOf(options: QuotaOptions): { readonly thread: Space; readonly user: Space } {
  return {
    thread: { bytes: options.thread_quota_mb * MIB, entries: options.thread_quota_files },
    user: { bytes: options.user_quota_mb * MIB, entries: options.user_quota_files },
  };
}

async function refuseLack(growth: Space, capacity: DiskUse['capacity']): Promise<void> {
  if (growth.bytes <= 0 && growth.entries <= 0) return;
  const lack = lacking(growth, await capacity(growth));
  if (lack !== undefined) throw lack.refusal();
}

/** Forgets the counts, and counts again, before less than `wanted` is returned. */
async function recounted(
  wanted: Space,
  believed: () => Promise<DiskCapacity>,
  forget: () => void,
): Promise<DiskCapacity> {
  const capacity = await believed();
  if (lacking(wanted, capacity) === undefined) return capacity;
  forget();
  return believed();
}

/** Returns what does not suffice, if anything. */
function lacking(growth: Space, { bytes, entries }: DiskCapacity): Capacity | undefined {
  if (growth.bytes > 0 && bytes.left < growth.bytes) return bytes;
  if (growth.entries > 0 && entries.left < growth.entries) return entries;
  return undefined;
}

/** Throws `insufficient_storage` when nothing more may be written. */
async function capacityOn(freeDisk: FreeDisk): Promise<DiskCapacity> {
  const left = await freeDisk();
  if (left <= 0) throw diskFull();
  return { bytes: { left, refusal: diskFull }, entries: UNBOUNDED };
}

/** Of capacities that are equally small, the first counts. */
function smallest(capacities: readonly DiskCapacity[]): DiskCapacity {
  return capacities.reduce((least, { bytes, entries }) => ({
    bytes: bytes.left < least.bytes.left ? bytes : least.bytes,
    entries: entries.left < least.entries.left ? entries : least.entries,
  }));
}

interface FullSentences {
  readonly ofBytes: (options: QuotaOptions) => string;
  readonly ofEntries: (options: QuotaOptions) => string;
}

const THREAD_FULL: FullSentences = {
  ofBytes: ({ thread_quota_mb: limit }) =>
    `The files of this thread would take more than ${limit} MB; delete some of them first.`,
  ofEntries: ({ thread_quota_files: limit }) =>
    `This thread would have more than ${limit} files and folders; delete some of them first.`,
};

const USER_FULL: FullSentences = {
  ofBytes: ({ user_quota_mb: limit }) =>
    `Your files and metadata would take more than ${limit} MB; delete files or threads first.`,
  ofEntries: ({ user_quota_files: limit }) =>
    `You would have more than ${limit} files and folders; delete files or threads first.`,
};

function capacityIn(left: Space, full: FullSentences, options: QuotaOptions): DiskCapacity {
  const refusing = (sentence: string) => () => new ServiceError('payload_too_large', sentence);
  return {
    bytes: { left: left.bytes, refusal: refusing(full.ofBytes(options)) },
    entries: { left: left.entries, refusal: refusing(full.ofEntries(options)) },
  };
}
