// All plain files of a thread, one after the other, whatever their number and size.
import { constants } from 'node:fs';
import { type FileHandle, opendir } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import { type Folder, openChildFile } from './folder.ts';
import { AREAS, parseFilePath, type VirtualPath } from './paths.ts';
import { ifReadable } from './workspace-failure.ts';

/** A file whose bytes may be read once. */
export interface WorkspaceFile {
  /** In virtual paths, below the root: `workspace`, `notes`, `a.md`. */
  readonly names: readonly string[];
  /** The bytes that the file has now; empty when it went away or is no plain file any more. */
  read(): AsyncGenerator<Uint8Array>;
}

type UseFolder = <Result>(
  names: readonly string[],
  use: (folder: Folder) => Promise<Result>,
) => Promise<Result>;

const { O_RDONLY } = constants;
const VIRTUAL_ROOT = '/mnt/user-data';
const PIECE_BYTES = 64 * 1024;

export async function* readWorkspace(atFolder: UseFolder): AsyncGenerator<WorkspaceFile> {
  for (const area of AREAS) yield* readFolder(atFolder, [area]);
}

async function* readFolder(atFolder: UseFolder, names: readonly string[]): AsyncGenerator<WorkspaceFile> {
  for (const entry of await entriesOf(atFolder, names)) {
    const path = [...names, entry.name];
    if (toPath(path) === undefined) continue;
    if (entry.kind === 'folder') yield* readFolder(atFolder, path);
    else yield { names: path, read: () => readFile(atFolder, names, entry.name) };
  }
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** Sorted; a folder that is not there, or not any more, is empty. */
async function entriesOf(atFolder: UseFolder, names: readonly string[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  await ifReadable(
    atFolder(names, async (folder) => {
      for await (const entry of await opendir(folder.self)) {
        if (entry.isFile()) entries.push({ name: entry.name, kind: 'file' });
        else if (entry.isDirectory()) entries.push({ name: entry.name, kind: 'folder' });
      }
    }),
  );
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function* readFile(
  atFolder: UseFolder,
  names: readonly string[],
  name: string,
): AsyncGenerator<Uint8Array> {
  const handle = await ifReadable(atFolder(names, (folder) => openPlain(folder, name)));
  if (handle === undefined) return;
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function openPlain(folder: Folder, name: string): Promise<FileHandle | undefined> {
  const { handle, stats } = await openChildFile(folder, name, O_RDONLY);
  if (stats.isFile() && stats.nlink === 1) return handle;
  await handle.close();
  return undefined;
}

function toPath(names: readonly string[]): VirtualPath | undefined {
  try {
    const path = parseFilePath([VIRTUAL_ROOT, ...names].join('/'));
    // A name that is not NFC would come back as another file.
    return path.names.join('/') === names.join('/') ? path : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
