// Contents by hash, and the points that name them: files beside those of the thread, out of agents' reach.
import { createHash, hash } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DRAFTS, threadFolderNames, type WorkspacePlace } from '../paths.ts';
import { ifThere, isFileSystemError } from '../workspace-failure.ts';
import { type Point, type PointContent, toPoint } from './point.ts';

interface StoreAt {
  readonly dataHome: string;
  readonly place: WorkspacePlace;
  readonly newId: () => string;
}

const OBJECT = /^[0-9a-f]{62}$/;
const POINT = /^(\d{12})\.json$/;
/** An object written or used this recently may belong to a point that another process is writing. */
const YOUNG_MS = 3_600_000;

/** Every file is written as a draft and renamed, so it exists as a whole or not at all. */
export function openObjectStore({ dataHome, place, newId }: StoreAt) {
  const folder = join(dataHome, ...threadFolderNames(place), 'snapshots');
  const drafts = join(dataHome, DRAFTS);
  const pathOf = (hash: string) => join(folder, 'objects', hash.slice(0, 2), hash.slice(2));
  const pointPath = (number: number) => join(folder, 'points', `${String(number).padStart(12, '0')}.json`);

  const settle = async (write: (draft: string) => Promise<string>): Promise<void> => {
    const draft = join(drafts, newId());
    try {
      const path = await withFolder(drafts, () => write(draft));
      await withFolder(dirname(path), () => rename(draft, path));
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  };
  const write = (path: string, content: string | Uint8Array): Promise<void> =>
    settle(async (draft) => {
      await writeFile(draft, content, { mode: 0o600 });
      return path;
    });

  return {
    folder,
    pathOf,
    async putBytes(bytes: Uint8Array): Promise<string> {
      const sha256 = hash('sha256', bytes);
      if (!(await isThere(pathOf(sha256)))) await write(pathOf(sha256), bytes);
      return sha256;
    },
    /** Copied by the file system where it can share the blocks. */
    async putFile(handle: FileHandle): Promise<string> {
      let sha256 = '';
      await settle(async (draft) => {
        await copyOpenFile(handle, draft);
        // Of the copy, which does not change in between.
        sha256 = await hashOf(draft);
        return pathOf(sha256);
      });
      return sha256;
    },
    read: (hash: string) => readFile(pathOf(hash)),
    /** By ascending number. */
    async points(): Promise<readonly Point[]> {
      const points: Point[] = [];
      // Every run asks, and most threads have no points.
      if (!existsSync(join(folder, 'points'))) return points;
      for (const name of (await namesIn(join(folder, 'points'))).sort()) {
        const number = POINT.exec(name)?.[1];
        if (number === undefined) continue;
        const text = await ifThere(readFile(join(folder, 'points', name), 'utf8'));
        if (text !== undefined) points.push({ ...toPoint(text), number: Number(number) });
      }
      return points;
    },
    async addPoint(content: PointContent, number: number): Promise<Point> {
      await write(pointPath(number), JSON.stringify(content));
      return { ...content, number };
    },
    removePoint: async ({ number }: Point) => void (await ifThere(unlink(pointPath(number)))),
    /** Removes the objects that are not among `used`. Returns the bytes of the remaining ones. */
    collect: (used: ReadonlySet<string>) => collect(join(folder, 'objects'), used),
    readNote: (name: string) => ifThere(readFile(join(folder, name), 'utf8')),
    writeNote: (name: string, text: string) => write(join(folder, name), text),
  };
}

export type ObjectStore = ReturnType<typeof openObjectStore>;

/** Creates the folder only when it turns out to be missing, which is rare. */
async function withFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFileSystemError(error, 'ENOENT')) throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return work();
  }
}

async function collect(objects: string, used: ReadonlySet<string>): Promise<number> {
  let bytes = 0;
  const before = Date.now() - YOUNG_MS;
  for await (const { hash, path } of objectsIn(objects)) {
    const stats = await ifThere(lstat(path));
    if (stats === undefined) continue;
    if (used.has(hash) || stats.mtimeMs > before) bytes += stats.size;
    else await ifThere(unlink(path));
  }
  return bytes;
}

async function* objectsIn(objects: string): AsyncGenerator<{ readonly hash: string; readonly path: string }> {
  for (const first of await namesIn(objects)) {
    for (const rest of await namesIn(join(objects, first)))
      if (OBJECT.test(rest)) yield { hash: first + rest, path: join(objects, first, rest) };
  }
}

/**
 * Makes an object that is used again young again, so that it is not collected before its point is written.
 */
async function isThere(path: string): Promise<boolean> {
  const now = new Date();
  return (await ifThere(utimes(path, now, now).then(() => true))) ?? false;
}

/** Copies the open file, because its name may refer to another one by now. */
async function copyOpenFile(handle: FileHandle, to: string): Promise<void> {
  if (process.platform === 'linux') {
    await copyFile(`/proc/self/fd/${handle.fd}`, to, constants.COPYFILE_FICLONE);
    return;
  }
  await writeFile(to, handle.createReadStream({ start: 0, autoClose: false }), { mode: 0o600 });
}

async function hashOf(path: string): Promise<string> {
  const hashing = createHash('sha256');
  await pipeline(createReadStream(path), hashing);
  return hashing.digest('hex');
}

async function namesIn(folder: string): Promise<string[]> {
  return (await ifThere(readdir(folder))) ?? [];
}
