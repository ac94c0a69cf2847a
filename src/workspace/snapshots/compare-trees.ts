// The changes of files between two points: created, modified, deleted, with a diff for texts.
import { isUtf8 } from 'node:buffer';
import { createTwoFilesPatch } from 'diff';
import { VIRTUAL_ROOT } from '../paths.ts';
import type { ObjectStore } from './object-store.ts';
import { isSameFile, type TreeEntry } from './point.ts';

interface FileState {
  readonly size: number;
  readonly sha256: string | null;
}

export interface FileChange {
  /** `/mnt/user-data/...` */
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** A unified diff; `null` when there is none to show, for the reason in `omitted`. */
  readonly diff: string | null;
  readonly omitted: 'binary' | 'too_large' | 'not_kept' | null;
}

/** `total` counts all changes, including those after the first thousand, which are omitted. */
export interface FileChanges {
  readonly changes: readonly FileChange[];
  readonly total: number;
}

export const NO_CHANGES: FileChanges = { changes: [], total: 0 };

const MAX_CHANGES = 1_000;
const MAX_DIFFED_BYTES = 256 * 1024;
const MAX_DIFF_CHARACTERS = 1024 * 1024;
const MAX_DIFF_MS = 500;
const CONTEXT_LINES = 3;

export async function compareTrees(
  store: ObjectStore,
  before: readonly TreeEntry[],
  after: readonly TreeEntry[],
): Promise<FileChanges> {
  const pairs = changedPairs(before, after);
  const changes: FileChange[] = [];
  let remaining = MAX_DIFF_CHARACTERS;
  for (const pair of pairs.slice(0, MAX_CHANGES)) {
    const shown = remaining > 0 ? await diffOf(store, pair) : ({ diff: null, omitted: 'too_large' } as const);
    remaining -= shown.diff?.length ?? 0;
    changes.push({
      path: `${VIRTUAL_ROOT}/${pair.path}`,
      change: kindOf(pair),
      before: stateOf(pair.before),
      after: stateOf(pair.after),
      ...shown,
    });
  }
  return { changes, total: pairs.length };
}

interface Pair {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

function changedPairs(before: readonly TreeEntry[], after: readonly TreeEntry[]): readonly Pair[] {
  const earlier = new Map(before.map((entry) => [entry.path, entry]));
  const later = new Map(after.map((entry) => [entry.path, entry]));
  const paths = [...new Set([...earlier.keys(), ...later.keys()])].sort();
  return paths
    .map((path) => ({ path, before: earlier.get(path), after: later.get(path) }))
    .filter((it) => it.before === undefined || it.after === undefined || !isSameFile(it.before, it.after));
}

function kindOf({ before, after }: Pair): FileChange['change'] {
  if (before === undefined) return 'created';
  return after === undefined ? 'deleted' : 'modified';
}

function stateOf(entry: TreeEntry | undefined): FileState | null {
  return entry === undefined ? null : { size: entry.size, sha256: entry.sha256 };
}

async function diffOf(store: ObjectStore, pair: Pair): Promise<Pick<FileChange, 'diff' | 'omitted'>> {
  const { path, before, after } = pair;
  if (before?.sha256 === null || after?.sha256 === null) return { diff: null, omitted: 'not_kept' };
  if (Math.max(before?.size ?? 0, after?.size ?? 0) > MAX_DIFFED_BYTES)
    return { diff: null, omitted: 'too_large' };
  const old = await textOf(store, before?.sha256);
  const new_ = await textOf(store, after?.sha256);
  if (old === undefined || new_ === undefined) return { diff: null, omitted: 'binary' };
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const to = after === undefined ? '/dev/null' : `b/${path}`;
  const options = { context: CONTEXT_LINES, timeout: MAX_DIFF_MS };
  const diff = createTwoFilesPatch(from, to, old, new_, undefined, undefined, options);
  return diff === undefined ? { diff: null, omitted: 'too_large' } : { diff, omitted: null };
}

/** Returns `undefined` when it is not text. */
async function textOf(store: ObjectStore, sha256: string | undefined): Promise<string | undefined> {
  if (sha256 === undefined) return '';
  const bytes = await store.read(sha256);
  return bytes.includes(0) || !isUtf8(bytes) ? undefined : new TextDecoder().decode(bytes);
}
