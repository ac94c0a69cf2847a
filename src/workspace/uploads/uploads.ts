// Files that people upload: received, listed, removed, and converted to Markdown if they are documents.
import { lstat, opendir, unlink } from 'node:fs/promises';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import type { Folder } from '../folder.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUseOf } from '../quota/disk-use.ts';
import { diskFull, isDiskFull } from '../quota/free-disk.ts';
import { describingFailures, ifThere } from '../workspace-failure.ts';
import { insideUploads, plainFile, removeFiles, type UploadedFile } from './inside-uploads.ts';
import type { MarkdownCompanions, MarkdownState } from './markdown-companions.ts';
import { type IncomingFile, placeFiles, receiveFiles } from './receive-files.ts';
import { withUploadDrafts } from './upload-drafts.ts';
import { UPLOADS, uploadName } from './upload-name.ts';
import { type UploadLimits, type UploadOptions, uploadLimits } from './upload-options.ts';

export interface Upload extends UploadedFile {
  /** For documents only. */
  readonly markdown?: MarkdownState;
}

interface UploadRequest {
  readonly files: AsyncIterable<IncomingFile>;
  /** Whether the thread still exists when everything has arrived. */
  readonly isThere: () => Promise<boolean>;
}

export interface Uploads {
  readonly limits: UploadLimits;
  /**
   * Stores all files or none, and waits a while for the Markdown of documents. Throws `payload_too_large`,
   * `insufficient_storage`, `invalid` for names and a request without files, `not_found` when the thread was
   * deleted, and errors of the pieces.
   */
  receive(place: WorkspacePlace, request: UploadRequest): Promise<readonly Upload[]>;
  /** Sorted by name. Omits everything that is not a regular file. */
  list(place: WorkspacePlace): Promise<readonly Upload[]>;
  /** Removes the file and its Markdown. Throws `not_found`, and `invalid` for a name that no upload has. */
  remove(place: WorkspacePlace, filename: string): Promise<void>;
}

export interface UploadParts {
  readonly dataHome: string;
  readonly options: UploadOptions;
  readonly diskUseOf: DiskUseOf;
  readonly companions: MarkdownCompanions;
  readonly newId: () => string;
}

export function createUploads(parts: UploadParts): Uploads {
  const limits = uploadLimits(parts.options);
  return {
    limits,
    receive: (place, request) =>
      describingFullDisk(async () => {
        const { names, expected } = await receive(parts, place, request);
        await parts.companions.convert(place, expected);
        return uploadsOf(parts, place, () => names);
      }),
    list: (place) =>
      describingFailures(UPLOADS, async () => (await ifThere(uploadsOf(parts, place, fileNames))) ?? []),
    async remove(place, filename) {
      await remove(parts, place, filename);
      parts.diskUseOf(place).changed();
    },
  };
}

async function receive(parts: UploadParts, place: WorkspacePlace, { files, isThere }: UploadRequest) {
  const { dataHome, companions } = parts;
  const diskUse = parts.diskUseOf(place);
  return withUploadDrafts(parts, async (drafts) => {
    const limits = uploadLimits(parts.options);
    const received = await receiveFiles(files, { drafts, diskUse, limits });
    return insideUploads(dataHome, { place, create: true }, async (folder) => {
      const names = await placeFiles(received.files, drafts, folder);
      const expected = await companions.expect(place, names);
      // A thread's removal searches for files after the thread is gone, so one of the two notices the other.
      if (!(await isThere())) {
        await removeFiles(folder, names);
        throw notFound('Thread');
      }
      diskUse.added(received.space);
      return { names, expected };
    });
  });
}

/** Omits files and Markdown that disappeared in between, because the agent may have removed them. */
async function uploadsOf(
  { dataHome, companions }: UploadParts,
  place: WorkspacePlace,
  namesIn: (folder: Folder) => readonly string[] | Promise<readonly string[]>,
): Promise<readonly Upload[]> {
  return insideUploads(dataHome, { place, create: false }, async (folder) => {
    const describe = async (name: string): Promise<readonly Upload[]> => {
      const file = await plainFile(folder, name);
      if (file === undefined) return [];
      const markdown = await companions.state(place, name);
      const isLost = markdown?.kind === 'converted' && (await plainFile(folder, markdown.file)) === undefined;
      return [markdown === undefined || isLost ? file : { ...file, markdown }];
    };
    return (await Promise.all((await namesIn(folder)).map(describe))).flat();
  });
}

/** Sorted. */
async function fileNames(folder: Folder): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder.self)) if (entry.isFile()) names.push(entry.name);
  return names.sort();
}

async function remove(
  { dataHome, companions }: UploadParts,
  place: WorkspacePlace,
  filename: string,
): Promise<void> {
  const name = uploadName(filename);
  // The cleaned name would be another file.
  if (name !== filename.normalize('NFC')) throw invalid('This is not the name of an uploaded file.');
  await describingFailures(`${UPLOADS}/${name}`, () =>
    insideUploads(dataHome, { place, create: false }, async (folder) => {
      const stats = await lstat(folder.at(name));
      if (stats.isDirectory()) throw invalid(`${UPLOADS}/${name} is a folder, not a file.`);
      await unlink(folder.at(name));
      await companions.remove(place, name, folder);
    }),
  );
}

async function describingFullDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await describingFailures(UPLOADS, work);
  } catch (error) {
    const cause = error instanceof ServiceError ? error.cause : undefined;
    if (isDiskFull(cause)) throw diskFull();
    throw error;
  }
}
