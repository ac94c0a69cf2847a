// How many lines changes add and take away.
import type { FileChange } from '../api/change-shapes.ts';
import { countsOf, type DiffCounts, linesOfPatch } from '../diff/diff-line.ts';

/** Of the changes whose difference is told. */
export function countsOfChanges(changes: readonly FileChange[]): DiffCounts {
  return countsOf(changes.flatMap(({ diff }) => (diff === null ? [] : linesOfPatch(diff))));
}
