// Whether a file has changed since it was read, judged by its `stat`.
import { type Stats, statSync } from 'node:fs';
import { isAbsence } from '../workspace/workspace-failure.ts';

/** `undefined`: the file does not exist. */
export type FileStamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'> | undefined;

/**
 * Follows links, because an operator's folder can be one. Synchronous, because a round trip to another thread
 * takes longer than the call itself.
 */
export function fileStamp(path: string): FileStamp {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** True when neither the file nor the entries of the folder changed between the two stamps. */
export function isSameFile(one: FileStamp, other: FileStamp): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino
  );
}

/** Returns a text that differs after every change of the file by any process. It has no quotes or blanks. */
export function fileVersion({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].map((number) => number.toString(36)).join('-');
}

/** The versions of which the file must still have one, or `*` for any. */
export type ExpectedVersion = readonly string[] | '*';
