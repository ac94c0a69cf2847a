// What the files of a thread and of a person take on disk, and whether there is room for more (docs/decisions, quotas).
import { ServiceError } from '../../errors.ts';
import { threadFolderNames, userDataNames, type WorkspacePlace } from '../paths.ts';
import { countBytes } from './count-bytes.ts';
import { createCounts } from './counts.ts';
import { createFreeDisk, diskFull } from './free-disk.ts';
import type { QuotaOptions } from './quota-options.ts';

interface DiskRoom {
  /** Bytes that may still be added; below 0 when there is too much already. */
  readonly bytes: number;
  /** What to say when that is not enough. */
  readonly refusal: () => ServiceError;
}

interface Use {
  readonly bytes: number;
  readonly limit: number;
}

/** In bytes. `user`: everything that the person has; `null` for the files of nobody. */
export interface DiskUsage {
  readonly thread: Use;
  readonly user: Use | null;
}

/** Of one thread. */
export interface DiskUse {
  /** Less than `wanted` is only answered after counting anew. Throws `insufficient_storage` when the disk is nearly full. */
  room(wanted: number): Promise<DiskRoom>;
  /** Throws `payload_too_large` or `insufficient_storage` when so many bytes more are too many. */
  admit(growth: number): Promise<void>;
  /** So many bytes came, or with a minus went, since the last count. */
  added(bytes: number): void;
  /** Somebody wrote there who told nobody: nothing is believed of the last count. */
  changed(): void;
  /** As it was counted within the last minute. */
  usage(): Promise<DiskUsage>;
  /** Bytes that may be kept beside the files, to undo changes; 0 at least. */
  spare(): Promise<number>;
}

export type DiskUseOf = (place: WorkspacePlace) => DiskUse;

const MIB = 1_048_576;

/** Counts are kept for all threads together. */
export function createDiskUse(dataHome: string, options: QuotaOptions): DiskUseOf {
  const limits = { thread: options.thread_quota_mb * MIB, user: options.user_quota_mb * MIB };
  const counts = createCounts({
    countThread: (place) => countBytes(dataHome, userDataNames(place)),
    countUser: (userId) => countBytes(dataHome, ['users', userId]),
  });
  const freeDisk = createFreeDisk(dataHome, options);
  const believedRoom = async (place: WorkspacePlace): Promise<DiskRoom> => {
    const free = await freeDisk();
    if (free <= 0) throw diskFull();
    const rooms = [
      { bytes: free, refusal: diskFull },
      { bytes: limits.thread - (await counts.ofThread(place)), refusal: () => threadFull(options) },
    ];
    const ofUser = await counts.ofUser(place);
    if (ofUser !== null) rooms.push({ bytes: limits.user - ofUser, refusal: () => userFull(options) });
    return rooms.reduce((least, room) => (room.bytes < least.bytes ? room : least));
  };
  return (place) => {
    // Refuses an id of the wrong form before anything is counted.
    threadFolderNames(place);
    const room = async (wanted: number): Promise<DiskRoom> => {
      const believed = await believedRoom(place);
      if (believed.bytes >= wanted) return believed;
      counts.forget(place);
      return believedRoom(place);
    };
    return {
      room,
      async admit(growth) {
        if (growth <= 0) return;
        const { bytes, refusal } = await room(growth);
        if (bytes < growth) throw refusal();
      },
      added: (bytes) => counts.add(place, bytes),
      changed: () => counts.doubt(place),
      async usage() {
        const thread = { bytes: await counts.ofThread(place), limit: limits.thread };
        const ofUser = await counts.ofUser(place);
        return { thread, user: ofUser === null ? null : { bytes: ofUser, limit: limits.user } };
      },
      async spare() {
        const ofUser = (await counts.ofUser(place)) ?? 0;
        return Math.max(0, Math.min(await freeDisk(), limits.user - ofUser));
      },
    };
  };
}

/** Where nothing is limited. */
export const NO_LIMITS: DiskUseOf = () => ({
  room: async () => ({ bytes: Number.POSITIVE_INFINITY, refusal: diskFull }),
  admit: async () => {},
  added: () => {},
  changed: () => {},
  usage: async () => ({ thread: { bytes: 0, limit: Number.POSITIVE_INFINITY }, user: null }),
  spare: async () => Number.POSITIVE_INFINITY,
});

function threadFull({ thread_quota_mb: limit }: QuotaOptions): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The files of this thread would take more than ${limit} MB; delete some of them first.`,
  );
}

function userFull({ user_quota_mb: limit }: QuotaOptions): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `Your files would take more than ${limit} MB; delete files or threads first.`,
  );
}
