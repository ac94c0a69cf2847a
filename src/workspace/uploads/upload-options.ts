// Limits of uploads: the section `uploads:` of the configuration file, and the errors for too large requests.
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { conversionOptionsSchema } from '../convert/conversion-options.ts';

export const uploadOptionsSchema = z.strictObject({
  /** Files in one request. */
  max_files: z.int().min(1).max(1_000).default(10),
  /** One file, in MiB. */
  max_file_mb: z.int().min(1).max(1_048_576).default(50),
  /** All files of one request together, in MiB. */
  max_total_mb: z.int().min(1).max(1_048_576).default(100),
  /** How documents become Markdown. */
  conversion: conversionOptionsSchema.prefault({}),
});

export type UploadOptions = z.output<typeof uploadOptionsSchema>;

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
