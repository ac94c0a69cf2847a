// The uploads of a thread, as the agent sees them.
import { opendir } from 'node:fs/promises';
import type { Folder } from '../folder.ts';
import { areFileNames, type WorkspacePlace } from '../paths.ts';
import { describingFailures, ifThere } from '../workspace-failure.ts';
import { AREA, hasNoUploads, insideUploads, plainFile, type UploadedFile } from './inside-uploads.ts';
import { UPLOADS } from './upload-name.ts';
import type { UploadNotes } from './upload-notes.ts';

export interface UploadsFolder {
  /** Sorted by name: regular files whose names a virtual path may have. Throws a `ServiceError`. */
  files(place: WorkspacePlace): Promise<readonly UploadedFile[]>;
  /** Returns the name of the file's Markdown, which may have been removed since; else `undefined`. */
  markdownOf(place: WorkspacePlace, filename: string): Promise<string | undefined>;
}

export function createUploadsFolder(dataHome: string, notes: Pick<UploadNotes, 'get'>): UploadsFolder {
  return {
    files: (place) =>
      describingFailures(UPLOADS, async () => {
        if (hasNoUploads(dataHome, place)) return [];
        return (await ifThere(insideUploads(dataHome, { place, create: false }, filesIn))) ?? [];
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
    if (!entry.isFile() || !areFileNames([AREA, entry.name])) continue;
    const file = await plainFile(folder, entry.name);
    if (file !== undefined) files.push(file);
  }
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}
