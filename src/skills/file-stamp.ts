// Whether a file is still the one that was read: one look, which takes microseconds.
import { type Stats, statSync } from 'node:fs';
import { isAbsence } from '../workspace/workspace-failure.ts';

/** `undefined`: it is not there. */
export type FileStamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'> | undefined;

/**
 * Links are followed, as an operator's folder may be one. In the thread of the service: a trip to another one takes longer
 * than the look.
 */
export function fileStamp(path: string): FileStamp {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Whether neither the file nor the entries of the folder changed between two looks. */
export function isSameFile(one: FileStamp, other: FileStamp): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino
  );
}
