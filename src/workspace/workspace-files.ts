// The files of one thread, by virtual path: listed, read, written and replaced without ever following a link.
import { randomUUID } from 'node:crypto';
import { editFile, type GuardedWrite, putText, type TextReplacement } from './edit-text.ts';
import {
  appendKnowing,
  type KnownVersions,
  requireKnown,
  versionOf,
  writeKnowing,
} from './known-versions.ts';
import { listFolder, type WorkspaceListing } from './list-folder.ts';
import { parseVirtualPath, threadFolderNames, userDataNames, type WorkspacePlace } from './paths.ts';
import { appendPlainFile, receivePlainFile, replacePlainFile, usePlainFile } from './plain-file.ts';
import { type DiskUseOf, NO_LIMITS } from './quota/disk-use.ts';
import { readWorkspace, type WorkspaceFile } from './read-workspace.ts';
import { removeThreadFolders } from './remove-folders.ts';
import { createSerialQueue } from './serial-queue.ts';
import { type LineRange, readTextSlice, type TextSlice } from './text-slice.ts';
import { atFile, atFolder, type ThreadAccess } from './thread-access.ts';
import { describingFailures, isFileSystemError } from './workspace-failure.ts';

/**
 * Paths are virtual (`/mnt/user-data/...`). Every failure is a `ServiceError` whose detail is a sentence for
 * the model and names virtual paths only. A write beyond a quota fails with `payload_too_large`, on a full
 * disk with `insufficient_storage`. Writes of one thread happen one after the other.
 */
export interface WorkspaceFiles {
  /**
   * Lists what lies below a folder, sorted, `depth` levels deep. An area that was never written to is empty.
   */
  list(path: string, depth: number): Promise<WorkspaceListing>;
  readText(path: string, range: LineRange): Promise<TextSlice>;
  /** Returns the bytes of a regular file. */
  sizeOf(path: string): Promise<number>;
  /**
   * Creates folders as needed. Replaces the whole file in one step: a failure or a crash leaves it as it was.
   */
  writeText(path: string, content: string, mode: 'replace' | 'append'): Promise<void>;
  /** Writes a file of any bytes, as `writeText` with `replace`. An error of `pieces` leaves it as it was. */
  writeBytes(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Yields every regular file by folder. Omits links, devices, and names that no virtual path may have. */
  contents(): AsyncGenerator<WorkspaceFile>;
  /**
   * Writes the text if the current one has this hash, or, for `null`, if there is no file. Otherwise only
   * returns the hash of the current content.
   */
  putText(path: string, content: string, expectedSha256: string | null): Promise<GuardedWrite>;
  /** Returns how often the text was replaced. 0 leaves the file untouched. */
  replaceText(path: string, replacement: TextReplacement): Promise<number>;
  /** Removes everything that the thread has on disk; idempotent. */
  removeAll(): Promise<void>;
}

/**
 * With `known`, texts that are read are known from then on. `writeText` with `replace`, and `replaceText`,
 * refuse to change a file whose current version is not known. The check and the record are part of the queued
 * write, so that no other write comes in between.
 */
export type WorkspaceFilesOf = (place: WorkspacePlace, known?: KnownVersions) => WorkspaceFiles;

interface WorkspaceDependencies {
  readonly dataHome: string;
  /** Absent: no limits. */
  readonly diskUseOf?: DiskUseOf;
  readonly newId?: () => string;
}

/** Creates access to the files of all threads. Call the result with a user and a thread to get theirs. */
export function createWorkspaceFiles({
  dataHome,
  diskUseOf = NO_LIMITS,
  newId = randomUUID,
}: WorkspaceDependencies): WorkspaceFilesOf {
  const queue = createSerialQueue();
  return (place, known) => {
    const threadNames = threadFolderNames(place);
    const userData = userDataNames(place);
    const access: ThreadAccess = { dataHome, userData, diskUse: diskUseOf(place), newId, known };
    const serially = <Result>(work: () => Promise<Result>) => queue.run(threadNames.join('/'), work);
    return {
      list: (path, depth) => listPath(access, path, depth),
      readText: (path, range) => readFileText(access, path, range),
      sizeOf: (path) =>
        atFile(access, { path, create: false }, (file) =>
          usePlainFile(file, async ({ stats }) => stats.size),
        ),
      writeText: (path, content, mode) =>
        serially(() =>
          mode === 'append' ? appendText(access, path, content) : replaceFile(access, path, content),
        ),
      putText: (path, content, expected) => serially(() => putText(access, { path, content, expected })),
      writeBytes: (path, pieces) =>
        serially(() =>
          atFile(access, { path, create: true }, (file) => receivePlainFile(file, pieces, access)),
        ),
      contents: () => readWorkspace((names, use) => atFolder(access, { names, create: false }, use)),
      replaceText: (path, replacement) => serially(() => editFile(access, path, replacement)),
      removeAll: () =>
        serially(async () => {
          await removeThreadFolders(dataHome, threadNames);
          access.diskUse.changed();
        }),
    };
  };
}

async function listPath(access: ThreadAccess, path: string, depth: number): Promise<WorkspaceListing> {
  const virtual = parseVirtualPath(path);
  return describingFailures(virtual.text, async () => {
    try {
      return await atFolder(access, { names: virtual.names, create: false }, (folder) =>
        listFolder(folder, virtual, depth),
      );
    } catch (error) {
      if (virtual.names.length > 1 || !isFileSystemError(error, 'ENOENT')) throw error;
      return listFolder(undefined, virtual, depth);
    }
  });
}

function readFileText(access: ThreadAccess, path: string, range: LineRange): Promise<TextSlice> {
  return atFile(access, { path, create: false }, (file) =>
    usePlainFile(file, async (opened) => {
      // Taken first, so that a change in between does not count as known.
      const version = access.known && (await versionOf(opened));
      const slice = await readTextSlice(opened.handle, range);
      if (version !== undefined && slice.kind === 'text') access.known?.set(file.shownAs, version);
      return slice;
    }),
  );
}

function replaceFile(access: ThreadAccess, path: string, content: string): Promise<void> {
  return atFile(access, { path, create: true }, async (file) => {
    await requireKnown(file, access.known);
    await writeKnowing(file, access.known, () => replacePlainFile(file, content, access));
  });
}

function appendText(access: ThreadAccess, path: string, content: string): Promise<void> {
  return atFile(access, { path, create: true }, (file) =>
    appendKnowing(file, access.known, () => appendPlainFile(file, content, access)),
  );
}
