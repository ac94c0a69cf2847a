// Shows the model which files the person uploaded, and their paths.
import { basename, extname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { HumanMessage } from '../../messages/message.ts';
import type { WorkspacePlace } from '../../workspace/paths.ts';
import type { UploadedFile } from '../../workspace/uploads/inside-uploads.ts';
import { UPLOADS } from '../../workspace/uploads/upload-name.ts';
import type { UploadsFolder } from '../../workspace/uploads/uploads-folder.ts';
import { newQuestion } from '../compaction/thread-view.ts';
import type { HookContext, Middleware } from '../middleware.ts';
import { attachedNames, type ShownUpload, shownUploads, uploadValues } from '../uploads/shown-uploads.ts';
import { withUploadNotices } from '../uploads/upload-notices.ts';

/** Above this number of uploads in the state, only a few per message are named, and the others counted. */
const MAX_SHOWN = 500;
const ALWAYS_SHOWN = 10;

/** Reads the folder once per run. The state changes only when a file was added, changed or removed. */
export function createUploadsMiddleware(uploads: UploadsFolder): Middleware {
  return {
    name: 'uploads',
    beforeAgent: async (context) => {
      // Notices about older uploads stay as they are.
      const question = newQuestion(context.state);
      if (question === undefined) return undefined;
      const known = shownUploads(context.state.values);
      const now = await uploadsToShow(uploads, context, { known, question });
      return now === known ? undefined : { delta: { messages: [], values: uploadValues(now) } };
    },
    shapeRequest: (request, { values }) => {
      const known = shownUploads(values);
      if (known.length === 0) return request;
      return { ...request, messages: withUploadNotices(request.messages, known) };
    },
  };
}

/** Returns the same list when nothing is new. A folder that cannot be read does not fail the run. */
async function uploadsToShow(
  uploads: UploadsFolder,
  place: HookContext,
  { known, question }: { readonly known: readonly ShownUpload[]; readonly question: HumanMessage },
): Promise<readonly ShownUpload[]> {
  try {
    const files = await uploads.files(place);
    if (files.length === 0 && known.length === 0) return known;
    const attached = new Set(attachedNames(question));
    const present = known.filter(({ gone_at }) => gone_at === undefined);
    const companions = new Set(present.flatMap(({ markdown_path = '' }) => basename(markdown_path)));
    const isShown = (file: UploadedFile) => present.some((it) => isSame(it, file));
    const isCounted = countedIn(known, present);
    const news = files.filter((it) => {
      if (companions.has(it.filename)) return false;
      return attached.has(it.filename) || (!isShown(it) && !isCounted(it));
    });
    const gone = present.filter((it) => !files.some((file) => isSame(it, file)));
    // Files attached to the question come first.
    news.sort((a, b) => Number(attached.has(b.filename)) - Number(attached.has(a.filename)));
    const maxNotices = Math.max(ALWAYS_SHOWN, MAX_SHOWN - known.length);
    const there = new Set(files.map(({ filename }) => filename));
    const [shown, left] = [news.slice(0, maxNotices), news.slice(maxNotices)];
    const entries = await describedUploads(uploads, place, { files: shown, there, question });
    const added = withMore(entries, left);
    if (added.length === 0 && gone.length === 0) return known;
    return [...known.map((it) => (gone.includes(it) ? { ...it, gone_at: question.id } : it)), ...added];
  } catch (error) {
    if (error instanceof ServiceError) return known;
    throw error;
  }
}

function countedIn(known: readonly ShownUpload[], present: readonly ShownUpload[]) {
  const until = known.reduce((latest, { more }) => Math.max(latest, more?.modified ?? 0), 0);
  const named = new Set(present.map(({ filename }) => filename));
  return ({ filename, modifiedMs }: UploadedFile) => modifiedMs / 1_000 <= until && !named.has(filename);
}

/** Adds to the last entry the number of files that have no entry. */
function withMore(entries: readonly ShownUpload[], left: readonly UploadedFile[]): readonly ShownUpload[] {
  const last = entries.at(-1);
  if (last === undefined || left.length === 0) return entries;
  const modified = left.reduce((latest, { modifiedMs }) => Math.max(latest, modifiedMs / 1_000), 0);
  return [...entries.slice(0, -1), { ...last, more: { count: left.length, modified } }];
}

function isSame({ filename, size, modified }: ShownUpload, file: UploadedFile): boolean {
  return filename === file.filename && size === file.size && modified === file.modifiedMs / 1_000;
}

interface NewUploads {
  readonly files: readonly UploadedFile[];
  /** The names of all files of the folder. */
  readonly there: ReadonlySet<string>;
  readonly question: HumanMessage;
}

async function describedUploads(
  uploads: UploadsFolder,
  place: WorkspacePlace,
  { files, there, question }: NewUploads,
): Promise<readonly ShownUpload[]> {
  const entries = await Promise.all(
    files.map(async ({ filename, size, modifiedMs }) => {
      const markdown = await uploads.markdownOf(place, filename);
      return {
        filename,
        size,
        path: `${UPLOADS}/${filename}`,
        extension: extname(filename),
        modified: modifiedMs / 1_000,
        ...(markdown !== undefined && there.has(markdown) && { markdown_path: `${UPLOADS}/${markdown}` }),
        message_id: question.id,
      };
    }),
  );
  // The Markdown of a document is shown with the document.
  const companions = new Set(entries.map(({ markdown_path }) => markdown_path));
  return entries.filter(({ path }) => !companions.has(path));
}
