// What one request may hand in, and what is said to one that hands in more.
import { ServiceError } from '../../errors.ts';
import type { UploadOptions } from './upload-options.ts';

export interface UploadLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

const MIB = 1_048_576;

export function uploadLimits({ max_files, max_file_mb, max_total_mb }: UploadOptions): UploadLimits {
  return { maxFiles: max_files, maxFileBytes: max_file_mb * MIB, maxTotalBytes: max_total_mb * MIB };
}

export function tooMany({ maxFiles }: UploadLimits): ServiceError {
  return new ServiceError('payload_too_large', `Too many files: at most ${maxFiles} at once.`);
}

export function fileTooLarge(name: string, { maxFileBytes }: UploadLimits): ServiceError {
  return new ServiceError('payload_too_large', `${name} is larger than ${maxFileBytes / MIB} MB.`);
}

export function allTooLarge({ maxTotalBytes }: UploadLimits): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The files together are larger than ${maxTotalBytes / MIB} MB.`,
  );
}
