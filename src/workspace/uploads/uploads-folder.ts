// What lies in the uploads of a thread, as the agent is told of it.
import { opendir } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import type { Folder } from '../folder.ts';
import { parseFilePath, type WorkspacePlace } from '../paths.ts';
import { describingFailures, isFileSystemError } from '../workspace-failure.ts';
import { hasNoUploads, insideUploads, plainFile, type UploadedFile } from './inside-uploads.ts';
import { UPLOADS } from './upload-name.ts';
import type { UploadNotes } from './upload-notes.ts';

export interface UploadsFolder {
  /** Sorted by name: plain files whose names a virtual path may have. Throws a `ServiceError`. */
  files(place: WorkspacePlace): Promise<readonly UploadedFile[]>;
  /** The name of the file's Markdown, which may have been removed since. */
  markdownOf(place: WorkspacePlace, filename: string): Promise<string | undefined>;
}

export function createUploadsFolder(dataHome: string, notes: Pick<UploadNotes, 'get'>): UploadsFolder {
  return {
    files: (place) =>
      describingFailures(UPLOADS, async () => {
        if (hasNoUploads(dataHome, place)) return [];
        try {
          return await insideUploads(dataHome, { place, create: false }, filesIn);
        } catch (error) {
          if (isFileSystemError(error, 'ENOENT')) return [];
          throw error;
        }
      }),
    markdownOf: (place, filename) =>
      describingFailures(
        `${UPLOADS}/${filename}`,
        async () => (await notes.get(place, filename)).markdown_file,
      ),
  };
}

async function filesIn(folder: Folder): Promise<readonly UploadedFile[]> {
  const files: UploadedFile[] = [];
  for await (const entry of await opendir(folder.self)) {
    if (!entry.isFile() || !isNameable(entry.name)) continue;
    const file = await plainFile(folder, entry.name);
    if (file !== undefined) files.push(file);
  }
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}

/** A name that no upload has could be written to say something else to the agent. */
function isNameable(filename: string): boolean {
  try {
    return parseFilePath(`${UPLOADS}/${filename}`).names.at(-1) === filename;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
