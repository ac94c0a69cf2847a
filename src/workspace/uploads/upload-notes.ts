// What is known about an upload besides its bytes: its Markdown, or why there is none. Stored where no
// command of the agent reaches.

import { hash } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { jsonIn } from '../../json/unknown-json.ts';
import { type Folder, insideDataHome, openChildFile, useFile } from '../folder.ts';
import { threadFolderNames, type WorkspacePlace } from '../paths.ts';
import { replaceFile } from '../plain-file.ts';
import { ifThere } from '../workspace-failure.ts';

const noteSchema = z.object({
  markdown_file: z.string().optional(),
  conversion_error: z.string().optional(),
  /** The conversion in progress, and when it ends at the latest (epoch milliseconds). */
  converting: z.object({ job: z.string(), until: z.number() }).optional(),
});

export type UploadNote = z.output<typeof noteSchema>;

interface ConversionEnding {
  readonly job: string;
  readonly note: UploadNote;
}

const FOLDER = 'upload-notes';
const MAX_NOTE_BYTES = 16_384;

/** One small file for each upload, so that two processes never write the same file at the same time. */
export function createUploadNotes(dataHome: string, newId: () => string) {
  const inNotes = <Result>(
    place: WorkspacePlace,
    create: boolean,
    use: (folder: Folder) => Promise<Result>,
  ) => insideDataHome(dataHome, { names: [...threadFolderNames(place), FOLDER], create }, use);
  const write = (folder: Folder, file: string, note: UploadNote) =>
    replaceFile(
      dataHome,
      { folder, name: file },
      { draft: newId(), write: (handle) => handle.writeFile(JSON.stringify(note)) },
    );
  return {
    async get(place: WorkspacePlace, filename: string): Promise<UploadNote> {
      const text = await ifThere(inNotes(place, false, (folder) => readSmall(folder, fileOf(filename))));
      return text === undefined ? {} : parsed(text);
    },
    put: (place: WorkspacePlace, filename: string, note: UploadNote) =>
      inNotes(place, true, (folder) => write(folder, fileOf(filename), note)),
    /** Replaces the note of the conversion `job`. Returns whether that note was still there. */
    async settle(place: WorkspacePlace, filename: string, { job, note }: ConversionEnding): Promise<boolean> {
      const file = fileOf(filename);
      const settled = await ifThere(
        inNotes(place, false, async (folder) => {
          const { converting } = parsed((await readSmall(folder, file)) ?? '');
          if (converting?.job !== job) return false;
          await write(folder, file, note);
          return true;
        }),
      );
      return settled ?? false;
    },
    /** Records that a file of that name is an upload of its own from now on, not the Markdown of another. */
    async disown(place: WorkspacePlace, markdownFile: string): Promise<void> {
      await ifThere(
        inNotes(place, false, async (folder) => {
          for (const file of await readdir(folder.self)) {
            const { markdown_file, ...rest } = parsed((await readSmall(folder, file)) ?? '');
            if (markdown_file === markdownFile) await write(folder, file, rest);
          }
        }),
      );
    },
    async remove(place: WorkspacePlace, filename: string): Promise<void> {
      await ifThere(inNotes(place, false, (folder) => unlink(folder.at(fileOf(filename)))));
    },
  };
}

export type UploadNotes = ReturnType<typeof createUploadNotes>;

/** Returns a name of one length, whatever the file is called. */
function fileOf(filename: string): string {
  return `${hash('sha256', filename)}.json`;
}

function readSmall(folder: Folder, name: string): Promise<string | undefined> {
  return useFile(openChildFile(folder, name), async ({ handle, stats }) =>
    stats.size > MAX_NOTE_BYTES ? undefined : handle.readFile('utf8'),
  );
}

function parsed(text: string): UploadNote {
  return noteSchema.safeParse(jsonIn(text)).data ?? {};
}
