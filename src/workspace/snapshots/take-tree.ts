// The files of a thread as a tree of hashes. New contents are stored among the objects.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { type Folder, insideDataHome, openChildFile, useFile } from '../folder.ts';
import { userDataNames, type WorkspacePlace } from '../paths.ts';
import type { DiskUseOf } from '../quota/disk-use.ts';
import { type ScannedFile, scanFiles } from '../scan-files.ts';
import { readSmallFile } from '../sync-files.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { ObjectStore } from './object-store.ts';
import type { TreeEntry } from './point.ts';
import type { SnapshotOptions } from './snapshot-options.ts';

interface TreeOrder {
  readonly dataHome: string;
  readonly place: WorkspacePlace;
  readonly store: ObjectStore;
  readonly options: SnapshotOptions;
  readonly diskUseOf: DiskUseOf;
}

const MEGABYTE = 1_048_576;
/** Larger files are copied by the file system. */
const READ_AT_ONCE = MEGABYTE;
/** Files up to this size are read synchronously, which takes less than a round trip to another thread. */
const SMALL_BYTES = 65_536;
/** Writing an object takes a few round trips, so this many are written concurrently. */
const STORED_AT_ONCE = 8;
const INDEX = 'index.json';

/** Returns `undefined` when the thread has more files than the limit. Writes the index as well. */
export async function takeTree(order: TreeOrder): Promise<readonly TreeEntry[] | undefined> {
  const { store, options } = order;
  const takenAt = Date.now();
  const scanned = await scanFiles({ ...order, maxFiles: options.max_files });
  if (!scanned.complete) return undefined;
  const before = toIndex(await store.readNote(INDEX));
  const spare = await order.diskUseOf(order.place).spare();
  const taking: Taking = {
    ...order,
    before,
    capacity: Math.min(options.max_thread_mb * MEGABYTE, before.storedBytes + spare.bytes),
    files: {},
    entries: [],
    storedBytes: before.storedBytes,
    objectsLeft: spare.entries,
  };
  let isNew = scanned.files.length !== Object.keys(before.files).length;
  const unknown: ScannedFile[] = [];
  for (const file of scanned.files) {
    const known = knownFile(before, file);
    if (known === undefined) unknown.push(file);
    else note(taking, file, known);
  }
  for (const group of byFolder(unknown)) await storeFolder(taking, group);
  isNew ||= unknown.length > 0;
  const index: FileIndex = { takenAt, storedBytes: taking.storedBytes, files: taking.files };
  if (isNew) await store.writeNote(INDEX, JSON.stringify(index));
  return taking.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the contents that the index relies on, which the next tree may name without reading anything. */
export async function countedOn(store: ObjectStore): Promise<readonly string[]> {
  const { files } = toIndex(await store.readNote(INDEX));
  return Object.values(files).flatMap(({ sha256 }) => (sha256 === null ? [] : [sha256]));
}

/** Records the remaining bytes after objects were removed. */
export async function noteStoredBytes(store: ObjectStore, storedBytes: number): Promise<void> {
  const index = toIndex(await store.readNote(INDEX));
  await store.writeNote(INDEX, JSON.stringify({ ...index, storedBytes }));
}

interface Taking extends TreeOrder {
  readonly before: FileIndex;
  /** The limit for all objects of the thread, in bytes. */
  readonly capacity: number;
  readonly files: Record<string, KnownFile>;
  readonly entries: TreeEntry[];
  storedBytes: number;
  /** How many more contents may be stored. */
  objectsLeft: number;
}

function note(taking: Taking, { path, stats }: ScannedFile, known: KnownFile): void {
  const stamp = known.sha256 === null ? { stamp: String(stats.ctimeNs) } : {};
  taking.files[path] = known;
  taking.entries.push({
    path,
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o777,
    sha256: known.sha256,
    ...stamp,
  });
}

/** The files are sorted by path, so those of one folder need not be adjacent. */
function byFolder(files: readonly ScannedFile[]): Iterable<readonly ScannedFile[]> {
  return Map.groupBy(files, ({ names }) => names.slice(0, -1).join('/')).values();
}

async function storeFolder(taking: Taking, files: readonly ScannedFile[]): Promise<void> {
  const { dataHome, place } = taking;
  const names = [...userDataNames(place), ...(files[0]?.names.slice(0, -1) ?? [])];
  await ifThere(() =>
    insideDataHome(dataHome, { names, create: false }, async (folder) => {
      for (let from = 0; from < files.length; from += STORED_AT_ONCE) {
        const some = files.slice(from, from + STORED_AT_ONCE);
        await Promise.all(some.map((file) => ifThere(() => storeFile(taking, folder, file))));
      }
    }),
  );
}

async function storeFile(taking: Taking, folder: Folder, file: ScannedFile): Promise<void> {
  const name = file.names.at(-1) ?? '';
  const small = file.stats.size <= BigInt(SMALL_BYTES) ? readSmallFile(folder, name, SMALL_BYTES) : undefined;
  if (small !== undefined) {
    const { stats, bytes } = small;
    const sha256 = mayKeep(taking, stats) ? await taking.store.putBytes(bytes) : null;
    note(taking, { ...file, stats }, { identity: identityOf(stats), sha256 });
    return;
  }
  await useFile(openChildFile(folder, name), async ({ handle }) => {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || stats.nlink > 1n) return;
    const sha256 = mayKeep(taking, stats) ? await storeContent(taking, { handle, stats }) : null;
    note(taking, { ...file, stats }, { identity: identityOf(stats), sha256 });
  });
}

/** Returns whether the content may be stored, and if so reserves the space for it. */
function mayKeep(taking: Taking, stats: BigIntStats): boolean {
  const size = Number(stats.size);
  const isTooMuch = taking.storedBytes + size > taking.capacity || taking.objectsLeft <= 0;
  if (size > taking.options.max_file_mb * MEGABYTE || isTooMuch) return false;
  taking.storedBytes += size;
  taking.objectsLeft -= 1;
  return true;
}

interface OpenContent {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

async function storeContent({ store }: Taking, { handle, stats }: OpenContent): Promise<string> {
  return Number(stats.size) > READ_AT_ONCE ? store.putFile(handle) : store.putBytes(await handle.readFile());
}

async function ifThere(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isFileSystemError(error) || error.code === 'ENOSPC' || error.code === 'EDQUOT') throw error;
  }
}

const knownSchema = z.object({ identity: z.string(), sha256: z.string().nullable() });
const indexSchema = z.object({
  /** By the clock of the files, in milliseconds. */
  takenAt: z.number(),
  /** The bytes of all objects of the thread. */
  storedBytes: z.number(),
  files: z.record(z.string(), knownSchema),
});

type KnownFile = z.output<typeof knownSchema>;
type FileIndex = z.output<typeof indexSchema>;

const NO_INDEX: FileIndex = { takenAt: 0, storedBytes: 0, files: {} };

/**
 * A file that was written this shortly before it was read may have been written again within the same tick.
 */
const TICK_MS = 50;

function toIndex(text: string | undefined): FileIndex {
  if (text === undefined) return NO_INDEX;
  const parsed = indexSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : NO_INDEX;
}

/** Every write updates the change time, which no program can set. */
function identityOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(':');
}

/** Returns what is known of the file, unless it changed since or may have. */
function knownFile(index: FileIndex, { path, stats }: ScannedFile): KnownFile | undefined {
  const known = index.files[path];
  if (known === undefined || known.identity !== identityOf(stats)) return undefined;
  return Number(stats.ctimeMs) < index.takenAt - TICK_MS ? known : undefined;
}
