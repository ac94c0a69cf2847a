// Failures of the file system as sentences about the virtual path: a real path never leaves the workspace.
import { ServiceError } from '../errors.ts';

/** Whether the system reported this code (`ENOENT` ...). */
export function isFileSystemError(error: unknown, code?: string): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return code === undefined || error.code === code;
}

/** Whether there is nothing, or no file, at a path. What else goes wrong says nothing about what is there. */
export function isAbsence(error: unknown): error is NodeJS.ErrnoException {
  return isFileSystemError(error) && ABSENT.has(error.code);
}

const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR']);

/** What the work comes to; `undefined` when the file, or a folder on the way to it, is not there (`ENOENT`). */
export function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => undefinedIf(isFileSystemError(error, 'ENOENT'), error));
}

/** The same, whatever the file system says: of what may go away, or be swapped, while it is looked at. */
export function ifReadable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => undefinedIf(isFileSystemError(error), error));
}

function undefinedIf(isExpected: boolean, error: unknown): undefined {
  if (!isExpected) throw error;
  return undefined;
}

/** Runs `work` and turns what the file system throws into a `ServiceError` whose detail names only `path`. */
export async function describingFailures<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw toServiceError(path, error);
  }
}

function toServiceError(path: string, cause: unknown): ServiceError {
  switch (isFileSystemError(cause) ? cause.code : undefined) {
    case 'ENOENT':
      return new ServiceError('not_found', `No such file or folder: ${path}`, { cause });
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENXIO':
      return new ServiceError(
        'invalid',
        `${path} leads through a link or through something that is not a folder; neither is followed.`,
        { cause },
      );
    case 'EISDIR':
      return new ServiceError('invalid', `${path} is a folder, not a file.`, { cause });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ServiceError('invalid', `Permission denied: ${path}`, { cause });
    case 'ENOSPC':
    case 'EDQUOT':
      return new ServiceError('insufficient_storage', `The disk is full; ${path} was not changed.`, {
        cause,
      });
    default:
      return new ServiceError('unavailable', `${path} could not be accessed; try again.`, { cause });
  }
}
