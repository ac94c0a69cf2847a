// The files of one thread, by virtual path: listed, read, written and replaced without ever following a link.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { invalid } from '../errors.ts';
import { type Folder, type FolderAt, insideDataHome } from './folder.ts';
import { listFolder, type WorkspaceListing } from './list-folder.ts';
import {
  DRAFTS,
  parseFilePath,
  parseVirtualPath,
  threadFolderNames,
  userDataNames,
  type VirtualPath,
  type WorkspacePlace,
} from './paths.ts';
import { appendPlainFile, type FileAt, replacePlainFile, usePlainFile } from './plain-file.ts';
import { createSerialQueue } from './serial-queue.ts';
import { type LineRange, readTextSlice, type TextSlice } from './text-slice.ts';
import { describingFailures, isFileSystemError } from './workspace-failure.ts';

/**
 * Paths are virtual (`/mnt/user-data/...`). Every failure is a `ServiceError` whose detail is a sentence for the model
 * and names virtual paths only. Writes of one thread happen one after the other.
 */
export interface WorkspaceFiles {
  /** What lies below a folder, sorted, `depth` levels deep; an area that was never written to is empty. */
  list(path: string, depth: number): Promise<WorkspaceListing>;
  readText(path: string, range: LineRange): Promise<TextSlice>;
  /** Creates folders as needed. The whole file is swapped at once: what fails or dies leaves it as it was. */
  writeText(path: string, content: string, mode: 'replace' | 'append'): Promise<void>;
  /** How often the text was replaced; 0 leaves the file untouched. */
  replaceText(path: string, replacement: TextReplacement): Promise<number>;
  /** Removes everything that the thread has on disk; idempotent. */
  removeAll(): Promise<void>;
}

interface TextReplacement {
  readonly search: string;
  readonly replacement: string;
  readonly occurrences: 'first' | 'all';
}

export type WorkspaceFilesOf = (place: WorkspacePlace) => WorkspaceFiles;

interface WorkspaceDependencies {
  readonly dataHome: string;
  readonly newId?: () => string;
}

const { O_RDONLY } = constants;
const MAX_EDITED_BYTES = 8 * 1024 * 1024;

/** The files of all threads: call the result with a user and a thread to get theirs. */
export function createWorkspaceFiles({
  dataHome,
  newId = randomUUID,
}: WorkspaceDependencies): WorkspaceFilesOf {
  const queue = createSerialQueue();
  return (place) => {
    const threadNames = threadFolderNames(place);
    const userData = userDataNames(place);
    const access: ThreadAccess = { dataHome, threadNames, userData, newId };
    const serially = <Result>(work: () => Promise<Result>) => queue.run(threadNames.join('/'), work);
    return {
      list: (path, depth) => listPath(access, path, depth),
      readText: (path, range) => readFileText(access, path, range),
      writeText: (path, content, mode) =>
        serially(() =>
          mode === 'append' ? appendText(access, path, content) : replaceFile(access, path, content),
        ),
      replaceText: (path, replacement) => serially(() => editFile(access, path, replacement)),
      removeAll: () => serially(() => removeThread(access)),
    };
  };
}

interface ThreadAccess {
  readonly dataHome: string;
  readonly threadNames: readonly string[];
  readonly userData: readonly string[];
  readonly newId: () => string;
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
  return atFile(access, { path: parseFilePath(path), create: false }, (file) =>
    usePlainFile(file, O_RDONLY, ({ handle }) => readTextSlice(handle, range)),
  );
}

function replaceFile(access: ThreadAccess, path: string, content: string): Promise<void> {
  return atFile(access, { path: parseFilePath(path), create: true }, (file) =>
    inDrafts(access, (drafts) => replacePlainFile(file, content, { drafts, name: access.newId() })),
  );
}

function appendText(access: ThreadAccess, path: string, content: string): Promise<void> {
  return atFile(access, { path: parseFilePath(path), create: true }, (file) =>
    inDrafts(access, (drafts) => appendPlainFile(file, content, { drafts, name: access.newId() })),
  );
}

function editFile(access: ThreadAccess, path: string, edit: TextReplacement): Promise<number> {
  return atFile(access, { path: parseFilePath(path), create: false }, async (file) => {
    const before = await usePlainFile(file, O_RDONLY, async ({ handle, stats }) => {
      if (stats.size > MAX_EDITED_BYTES)
        throw invalid(`${path} is larger than 8 MiB, too large to be edited.`);
      return decodeStrictly(await handle.readFile(), path);
    });
    const parts = splitText(before, edit);
    if (parts.length === 1) return 0;
    const content = parts.join(edit.replacement);
    await inDrafts(access, (drafts) => replacePlainFile(file, content, { drafts, name: access.newId() }));
    return parts.length - 1;
  });
}

async function removeThread(access: ThreadAccess): Promise<void> {
  const parents = access.threadNames.slice(0, -1);
  const name = access.threadNames.at(-1) ?? '';
  await describingFailures('The files of the thread', async () => {
    try {
      await insideDataHome(access.dataHome, { names: parents, create: false }, (folder) =>
        rm(folder.at(name), { recursive: true, force: true, maxRetries: 3 }),
      );
    } catch (error) {
      if (!isFileSystemError(error, 'ENOENT')) throw error;
    }
  });
}

function splitText(text: string, { search, occurrences }: TextReplacement): readonly string[] {
  if (search === '') return [text];
  if (occurrences === 'all') return text.split(search);
  const at = text.indexOf(search);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + search.length)];
}

/** Anything but UTF-8 would be damaged by writing it back. */
function decodeStrictly(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(`${path} is not UTF-8 text and cannot be edited.`);
  }
}

function atFile<Result>(
  access: ThreadAccess,
  { path, create }: { readonly path: VirtualPath; readonly create: boolean },
  use: (file: FileAt) => Promise<Result>,
): Promise<Result> {
  const name = path.names.at(-1) ?? '';
  return describingFailures(path.text, () =>
    atFolder(access, { names: path.names.slice(0, -1), create }, (folder) =>
      use({ folder, name, shownAs: path.text }),
    ),
  );
}

/** Drafts lie beside the folders that users see, so that a crash leaves no half file where anybody looks. */
function inDrafts<Result>(
  { dataHome }: ThreadAccess,
  use: (drafts: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, use);
}

function atFolder<Result>(
  access: ThreadAccess,
  { names, create }: FolderAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(access.dataHome, { names: [...access.userData, ...names], create }, use);
}
