// The floor of free space: how much may still be written to the disk of the data home before it is reached.
import { statfs } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { QuotaOptions } from './quota-options.ts';

/** Returns the bytes of free space above the floor, as of now; below 0 when there is less. */
export type FreeDisk = () => Promise<number>;

const MIB = 1_048_576;

/** `dataHome` must exist when the result is called. */
export function createFreeDisk(dataHome: string, options: Pick<QuotaOptions, 'min_free_mb'>): FreeDisk {
  return async () => {
    const { bavail, bsize } = await statfs(dataHome);
    return bavail * bsize - options.min_free_mb * MIB;
  };
}

export function diskFull(): ServiceError {
  return new ServiceError('insufficient_storage', 'The disk of the service is full; nothing was saved.');
}

/** True when the file system refused a write for lack of space. */
export function isDiskFull(error: unknown): boolean {
  return isFileSystemError(error, 'ENOSPC') || isFileSystemError(error, 'EDQUOT');
}
