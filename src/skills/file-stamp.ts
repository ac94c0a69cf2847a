// Whether a file is still the one that was read: by what one look at it says.
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

/** Whether neither the file nor the entries of the folder changed between two checks. */
export function isSameFile(one: FileStamp, other: FileStamp): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino
  );
}

/** A different text after every change of the file, by any process; without quotes and blanks. */
export function fileVersion({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].map((number) => number.toString(36)).join('-');
}

/** What a request wants the file to be still: one of these versions, or (`*`) any at all. */
export type ExpectedVersion = readonly string[] | '*';
