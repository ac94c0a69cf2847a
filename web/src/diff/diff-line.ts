// A diff of two texts, line by line.
import { diffLines } from 'diff';

export interface DiffLine {
  /** `text` is not compared with anything. */
  readonly kind: 'added' | 'removed' | 'same' | 'place' | 'text';
  readonly text: string;
}

export interface DiffCounts {
  readonly added: number;
  readonly removed: number;
}

/** Longer texts are compared as a whole: people read no more, and the comparison takes long. */
const MOST_COMPARED_CHARACTERS = 60_000;

export function linesOfChange(before: string, after: string): readonly DiffLine[] {
  if (before.length + after.length > MOST_COMPARED_CHARACTERS)
    return [...linesOf(before, 'removed'), ...linesOf(after, 'added')];
  return diffLines(before, after).flatMap(({ value, added, removed }) => {
    if (added) return linesOf(value, 'added');
    return linesOf(value, removed ? 'removed' : 'same');
  });
}

export function linesOf(text: string, kind: DiffLine['kind']): readonly DiffLine[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

const KIND_OF_MARK: Readonly<Record<string, DiffLine['kind']>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'same',
};

/** Returns the lines of a unified diff of one file, without its head. */
export function linesOfPatch(patch: string): readonly DiffLine[] {
  const lines = patch.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  if (start === -1) return [];
  return lines.slice(start).flatMap((line): readonly DiffLine[] => {
    if (line.startsWith('@@')) return placeOf(line);
    const kind = KIND_OF_MARK[line.charAt(0)];
    return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
  });
}

/** Returns the line of a hunk. The top of a file needs no label. */
function placeOf(head: string): readonly DiffLine[] {
  const first = Number(/\+(\d+)/.exec(head)?.[1]);
  return first > 1 ? [{ kind: 'place', text: `Line ${first}` }] : [];
}

export function countsOf(lines: readonly DiffLine[]): DiffCounts {
  return {
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
  };
}
