// Reads all regular files of a thread, one after the other, whatever their number and size.
import { readdir } from 'node:fs/promises';
import { type Folder, type FolderEntry, filesAndFolders, openChildFile } from './folder.ts';
import { AREAS, areFileNames } from './paths.ts';
import { ifReadable } from './workspace-failure.ts';

/** A file whose bytes can be read once. */
export interface WorkspaceFile {
  /** Relative to the virtual root: `workspace`, `notes`, `a.md`. */
  readonly names: readonly string[];
  /** Yields the current bytes; none when the file disappeared or is no longer a regular file. */
  read(): AsyncGenerator<Uint8Array>;
}

type UseFolder = <Result>(
  names: readonly string[],
  use: (folder: Folder) => Promise<Result>,
) => Promise<Result>;

export async function* readWorkspace(atFolder: UseFolder): AsyncGenerator<WorkspaceFile> {
  for (const area of AREAS) yield* readFolder(atFolder, [area]);
}

async function* readFolder(atFolder: UseFolder, names: readonly string[]): AsyncGenerator<WorkspaceFile> {
  for (const entry of await entriesOf(atFolder, names)) {
    const path = [...names, entry.name];
    if (!areFileNames(path)) continue;
    if (entry.kind === 'folder') yield* readFolder(atFolder, path);
    else yield { names: path, read: () => readFile(atFolder, names, entry.name) };
  }
}

/** Sorted. A folder that does not exist, or no longer does, is empty. */
async function entriesOf(atFolder: UseFolder, names: readonly string[]): Promise<readonly FolderEntry[]> {
  const entries = await ifReadable(
    atFolder(names, (folder) => readdir(folder.self, { withFileTypes: true })),
  );
  return filesAndFolders(entries ?? []);
}

async function* readFile(
  atFolder: UseFolder,
  names: readonly string[],
  name: string,
): AsyncGenerator<Uint8Array> {
  const file = await ifReadable(atFolder(names, (folder) => openChildFile(folder, name)));
  if (file === undefined) return;
  const { handle, stats } = file;
  try {
    if (!stats.isFile() || stats.nlink > 1) return;
    yield* handle.createReadStream({ autoClose: false });
  } finally {
    await handle.close();
  }
}
