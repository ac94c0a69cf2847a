// What the files of a thread and of a person take on disk, and whether there is room for more (docs/decisions, quotas).
import { ServiceError } from '../../errors.ts';
import { threadFolderNames, userDataNames, type WorkspacePlace } from '../paths.ts';
import { countSpace } from './count-space.ts';
import { createCounts } from './counts.ts';
import { createFreeDisk, diskFull } from './free-disk.ts';
import type { QuotaOptions } from './quota-options.ts';
import { least, minus, NO_SPACE, type Space } from './space.ts';

interface Room {
  /** What may still be added; below 0 when there is too much already. */
  readonly left: number;
  /** What to say when that is not enough. */
  readonly refusal: () => ServiceError;
}

interface DiskRoom {
  readonly bytes: Room;
  readonly entries: Room;
}

interface Use {
  readonly used: Space;
  readonly limit: Space;
}

/** `user`: everything that the person has; `null` for the files of nobody. */
export interface DiskUsage {
  readonly thread: Use;
  readonly user: Use | null;
}

/** Of one thread. */
export interface DiskUse {
  /** Less than `wanted` is only answered after counting anew. Throws `insufficient_storage` when the disk is nearly full. */
  room(wanted: Space): Promise<DiskRoom>;
  /** Throws `payload_too_large` or `insufficient_storage` when so much more is too much. */
  admit(growth: Space): Promise<void>;
  /** So much came, or with a minus went, since the last count. */
  added(more: Space): void;
  /** Somebody wrote there who told nobody: nothing is believed of the last count. */
  changed(): void;
  /** As it was counted within the last minute. */
  usage(): Promise<DiskUsage>;
  /** What may be kept beside the files, to undo changes; 0 at least. */
  spare(): Promise<Space>;
}

export type DiskUseOf = (place: WorkspacePlace) => DiskUse;

const MIB = 1_048_576;

/** Counts are kept for all threads together. */
export function createDiskUse(dataHome: string, options: QuotaOptions): DiskUseOf {
  const limits = limitsOf(options);
  const counts = createCounts({
    countThread: (place) => countSpace(dataHome, userDataNames(place)),
    countUser: (userId) => countSpace(dataHome, ['users', userId]),
  });
  const freeDisk = createFreeDisk(dataHome, options);
  const believedRoom = async (place: WorkspacePlace): Promise<DiskRoom> => {
    const free = await freeDisk();
    if (free <= 0) throw diskFull();
    const ofThread = roomIn(minus(limits.thread, await counts.ofThread(place)), THREAD_FULL, options);
    const used = await counts.ofUser(place);
    const ofUser = used === null ? ofThread : roomIn(minus(limits.user, used), USER_FULL, options);
    return {
      bytes: smallest([{ left: free, refusal: diskFull }, ofThread.bytes, ofUser.bytes]),
      entries: smallest([ofThread.entries, ofUser.entries]),
    };
  };
  return (place) => {
    // Refuses an id of the wrong form before anything is counted.
    threadFolderNames(place);
    const room = async (wanted: Space): Promise<DiskRoom> => {
      const believed = await believedRoom(place);
      if (believed.bytes.left >= wanted.bytes && believed.entries.left >= wanted.entries) return believed;
      counts.forget(place);
      return believedRoom(place);
    };
    return {
      room,
      async admit(growth) {
        if (growth.bytes <= 0 && growth.entries <= 0) return;
        const { bytes, entries } = await room(growth);
        if (growth.bytes > 0 && bytes.left < growth.bytes) throw bytes.refusal();
        if (growth.entries > 0 && entries.left < growth.entries) throw entries.refusal();
      },
      added: (more) => counts.add(place, more),
      changed: () => counts.doubt(place),
      async usage() {
        const thread = { used: await counts.ofThread(place), limit: limits.thread };
        const used = await counts.ofUser(place);
        return { thread, user: used === null ? null : { used, limit: limits.user } };
      },
      async spare() {
        const used = (await counts.ofUser(place)) ?? NO_SPACE;
        const left = least(minus(limits.user, used), {
          bytes: await freeDisk(),
          entries: limits.user.entries,
        });
        return { bytes: Math.max(0, left.bytes), entries: Math.max(0, left.entries) };
      },
    };
  };
}

/** Where nothing is limited. */
export const NO_LIMITS: DiskUseOf = () => ({
  room: async () => ({
    bytes: { left: Number.POSITIVE_INFINITY, refusal: diskFull },
    entries: { left: Number.POSITIVE_INFINITY, refusal: diskFull },
  }),
  admit: async () => {},
  added: () => {},
  changed: () => {},
  usage: async () => ({ thread: { used: NO_SPACE, limit: UNLIMITED }, user: null }),
  spare: async () => UNLIMITED,
});

const UNLIMITED: Space = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY };

function limitsOf(options: QuotaOptions): { readonly thread: Space; readonly user: Space } {
  return {
    thread: { bytes: options.thread_quota_mb * MIB, entries: options.thread_quota_files },
    user: { bytes: options.user_quota_mb * MIB, entries: options.user_quota_files },
  };
}

function smallest(rooms: readonly [Room, ...Room[]]): Room {
  return rooms.reduce((least, room) => (room.left < least.left ? room : least));
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
    `Your files would take more than ${limit} MB; delete files or threads first.`,
  ofEntries: ({ user_quota_files: limit }) =>
    `You would have more than ${limit} files and folders; delete files or threads first.`,
};

function roomIn(left: Space, full: FullSentences, options: QuotaOptions): DiskRoom {
  const refusing = (sentence: string) => () => new ServiceError('payload_too_large', sentence);
  return {
    bytes: { left: left.bytes, refusal: refusing(full.ofBytes(options)) },
    entries: { left: left.entries, refusal: refusing(full.ofEntries(options)) },
  };
}
