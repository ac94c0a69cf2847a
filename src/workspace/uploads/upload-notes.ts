// What is known about an upload beside its bytes: its Markdown, or why there is none. Kept where no command of the agent reaches.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { readdir, rename, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { type Folder, insideDataHome, openChildFile } from '../folder.ts';
import { DRAFTS, threadFolderNames, type WorkspacePlace } from '../paths.ts';
import { ifThere } from '../workspace-failure.ts';

const noteSchema = z.object({
  markdown_file: z.string().optional(),
  conversion_error: z.string().optional(),
  /** Which conversion is under way, and until when at most (epoch milliseconds). */
  converting: z.object({ job: z.string(), until: z.number() }).optional(),
});

export type UploadNote = z.output<typeof noteSchema>;

interface ConversionEnding {
  readonly job: string;
  readonly note: UploadNote;
}

export interface UploadNotes {
  get(place: WorkspacePlace, filename: string): Promise<UploadNote>;
  put(place: WorkspacePlace, filename: string, note: UploadNote): Promise<void>;
  /** Puts it in the place of that of the conversion `job`; answers whether this one still stood there. */
  settle(place: WorkspacePlace, filename: string, ending: ConversionEnding): Promise<boolean>;
  /** A file of that name is somebody's own from now on, and nobody's Markdown. */
  disown(place: WorkspacePlace, markdownFile: string): Promise<void>;
  remove(place: WorkspacePlace, filename: string): Promise<void>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const FOLDER = 'upload-notes';
const MAX_NOTE_BYTES = 16_384;

/** One small file for each upload: two processes never write the same one at the same time. */
export function createUploadNotes(dataHome: string, newId: () => string): UploadNotes {
  const inNotes = <Result>(
    place: WorkspacePlace,
    create: boolean,
    use: (folder: Folder) => Promise<Result>,
  ) => insideDataHome(dataHome, { names: [...threadFolderNames(place), FOLDER], create }, use);
  const write = (folder: Folder, file: string, note: UploadNote) =>
    insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (drafts) => {
      const draft = newId();
      const { handle } = await openChildFile(drafts, draft, O_WRONLY | O_CREAT | O_EXCL);
      try {
        await handle.writeFile(JSON.stringify(note));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(drafts.at(draft), folder.at(file));
      await folder.sync();
    });
  return {
    async get(place, filename) {
      const text = await ifThere(inNotes(place, false, (folder) => readSmall(folder, fileOf(filename))));
      return text === undefined ? {} : parsed(text);
    },
    put: (place, filename, note) => inNotes(place, true, (folder) => write(folder, fileOf(filename), note)),
    async settle(place, filename, { job, note }) {
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
    async disown(place, markdownFile) {
      await ifThere(
        inNotes(place, false, async (folder) => {
          for (const file of await readdir(folder.self)) {
            const { markdown_file, ...rest } = parsed((await readSmall(folder, file)) ?? '');
            if (markdown_file === markdownFile) await write(folder, file, rest);
          }
        }),
      );
    },
    async remove(place, filename) {
      await ifThere(inNotes(place, false, (folder) => unlink(folder.at(fileOf(filename)))));
    },
  };
}

/** Of one length, whatever the name is. */
function fileOf(filename: string): string {
  return `${createHash('sha256').update(filename).digest('hex')}.json`;
}

async function readSmall(folder: Folder, name: string): Promise<string | undefined> {
  const { handle, stats } = await openChildFile(folder, name, O_RDONLY);
  try {
    return stats.size > MAX_NOTE_BYTES ? undefined : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function parsed(text: string): UploadNote {
  try {
    return noteSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
