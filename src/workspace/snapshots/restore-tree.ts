// Restores the files of a thread to a tree. Keeps links, and files that people uploaded since.
import { constants } from 'node:fs';
import { chmod, copyFile, rename, rmdir, unlink } from 'node:fs/promises';
import { insideDataHome, insideDrafts } from '../folder.ts';
import { userDataNames, type WorkspacePlace } from '../paths.ts';
import type { DiskUse } from '../quota/disk-use.ts';
import { minus, plus, type Space } from '../quota/space.ts';
import { describingFailures, isFileSystemError } from '../workspace-failure.ts';
import type { ObjectStore } from './object-store.ts';
import { isSameFile, type TreeEntry } from './point.ts';

interface RestoreOrder {
  readonly dataHome: string;
  readonly place: WorkspacePlace;
  readonly store: ObjectStore;
  readonly diskUse: Pick<DiskUse, 'admit'>;
  readonly newId: () => string;
  readonly from: readonly TreeEntry[];
  readonly to: readonly TreeEntry[];
}

/** Paths below the virtual root. */
export interface Restored {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Not restored: their contents are not kept, or something else is in their place. */
  readonly left: readonly string[];
}

/** Uploads belong to the person. They are restored, but never removed. */
const HANDED_IN = 'uploads/';

/** Replaces each file as a whole. A process that dies in between has done a part of it, and can repeat it. */
export async function restoreTree(order: RestoreOrder): Promise<Restored> {
  const wanted = new Map(order.to.map((entry) => [entry.path, entry]));
  const present = new Map(order.from.map((entry) => [entry.path, entry]));
  const extra = order.from.filter(({ path }) => !wanted.has(path) && !path.startsWith(HANDED_IN));
  const different = order.to.filter((entry) => {
    const now = present.get(entry.path);
    return now === undefined || !isSameFile(now, entry);
  });
  await order.diskUse.admit(
    minus(spaceOf(different), plus(spaceOf(extra), spaceOf(replaced(different, present)))),
  );
  const removed: string[] = [];
  const written: string[] = [];
  const left: string[] = [];
  for (const { path } of extra) {
    const done = (await removeFile(order, path)) ? removed : left;
    done.push(path);
  }
  for (const entry of different) {
    const done = (await writeFileOf(order, entry)) ? written : left;
    done.push(entry.path);
  }
  return { written, removed, left };
}

function replaced(
  different: readonly TreeEntry[],
  present: ReadonlyMap<string, TreeEntry>,
): readonly TreeEntry[] {
  return different.flatMap(({ path }) => present.get(path) ?? []);
}

function spaceOf(entries: readonly TreeEntry[]): Space {
  return { bytes: entries.reduce((sum, { size }) => sum + size, 0), entries: entries.length };
}

async function removeFile({ dataHome, place }: RestoreOrder, path: string): Promise<boolean> {
  const names = path.split('/');
  const removed = (depth: number, remove: (path: string) => Promise<void>): Promise<boolean> => {
    const parents = [...userDataNames(place), ...names.slice(0, depth - 1)];
    return attempted(() =>
      insideDataHome(dataHome, { names: parents, create: false }, (folder) =>
        remove(folder.at(names[depth - 1] ?? '')),
      ),
    );
  };
  const isDone = await removed(names.length, unlink);
  // Also removes folders that are empty now, except the areas.
  for (let depth = names.length - 1; depth > 1; depth -= 1) if (!(await removed(depth, rmdir))) break;
  return isDone;
}

async function writeFileOf(order: RestoreOrder, { path, sha256, mode }: TreeEntry): Promise<boolean> {
  if (sha256 === null) return false;
  const { dataHome, place, store, newId } = order;
  const names = path.split('/');
  const at = { names: [...userDataNames(place), ...names.slice(0, -1)], create: true };
  return attempted(() =>
    insideDataHome(dataHome, at, (folder) =>
      insideDrafts(dataHome, async (drafts) => {
        const draft = drafts.at(newId());
        try {
          await copyFile(store.pathOf(sha256), draft, constants.COPYFILE_FICLONE);
          await chmod(draft, mode);
          await rename(draft, folder.at(names.at(-1) ?? ''));
        } catch (error) {
          await unlink(draft).catch(() => undefined);
          throw error;
        }
      }),
    ),
  );
}

/** Returns whether the work succeeded. A full disk fails the whole restore. */
async function attempted(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') return false;
    return describingFailures('The files of the thread', () => Promise.reject(error));
  }
}
