// Failures of the file system as sentences about the virtual path. A real path never leaves the workspace.
import { ServiceError } from '../errors.ts';

/** True when the system reported this code (`ENOENT` ...), or any code when none is given. */
export function isFileSystemError(error: unknown, code?: string): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return code === undefined || error.code === code;
}

/** True when there is nothing, or no file, at a path. Other errors do not show what is there. */
export function isAbsence(error: unknown): error is NodeJS.ErrnoException {
  return isFileSystemError(error) && ABSENT.has(error.code);
}

const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR']);

/** Resolves with the result; `undefined` when the file or a folder on the way does not exist (`ENOENT`). */
export function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => undefinedIf(isFileSystemError(error, 'ENOENT'), error));
}

/**
 * The same for any error of the file system. For files that may disappear or be replaced while they are read.
 */
export function ifReadable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => undefinedIf(isFileSystemError(error), error));
}

function undefinedIf(isExpected: boolean, error: unknown): undefined {
  if (!isExpected) throw error;
  return undefined;
}

/** Runs `work`, and turns errors of the file system into a `ServiceError` whose detail names only `path`. */
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
        `${path} leads through a link or something that is not a folder, which is not allowed.`,
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
