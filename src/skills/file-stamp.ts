// Whether a file is still the one that was read: one look, which takes microseconds.
import { statSync } from 'node:fs';
import { isAbsence } from '../workspace/workspace-failure.ts';

/**
 * Another text after every change of the file or of the entries of the folder; `undefined` when it is not there. Links are
 * followed, as an operator's folder may be one. In the thread of the service: a trip to another one takes longer than the look.
 */
export function fileStamp(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
