// The calls about the files of a thread.
import type * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';
import {
  artifactPageSchema,
  artifactUrl,
  type FileContent,
  type FilesUsage,
  type filesUsageSchema,
  listedUploadsSchema,
  type ThreadFile,
  type ThreadFiles,
  type Uploaded,
  uploadLimitsSchema,
  uploadResponseSchema,
  writtenSchema,
} from './file-shapes.ts';
import { RequestError, requestErrorOf } from './service-error.ts';
import type { ServiceUpload, Upload } from './service-fetch.ts';

export type UploadProgress = Pick<Upload, 'onSent' | 'signal'>;

export interface TextToWrite {
  readonly path: string;
  readonly content: string;
  /** The hash of the bytes that this page has seen. Undefined for a file that does not exist. */
  readonly expected: string | undefined;
}

const PAGE_SIZE = 1_000;
/** More than anyone scrolls through. */
const MOST_PAGES = 3;
const UPLOADS = '/mnt/user-data/uploads/';

export function createFileCalls(call: Call, upload: ServiceUpload) {
  return {
    /** Uploads one file. The service may rename it when the name is taken. */
    async uploadFile(threadId: string, file: File, progress: UploadProgress): Promise<Uploaded> {
      const body = new FormData();
      body.append('files', file, file.name);
      const response = await upload({ path: `${threadPath(threadId)}/uploads`, body, ...progress });
      if (!response.ok) throw await requestErrorOf(response);
      const [uploaded] = (await read(response, uploadResponseSchema)).files;
      if (uploaded === undefined) throw new RequestError(response.status, 'The service stored no file.');
      return uploaded;
    },
    /** Returns the size limit of an uploaded file in bytes. */
    async mostUploadBytes(): Promise<number> {
      const limits = await read(await call('GET', '/api/uploads/limits'), uploadLimitsSchema);
      return Math.min(limits.max_file_bytes, limits.max_total_bytes);
    },
    removeUpload: (threadId: string, filename: string) =>
      call('DELETE', `${threadPath(threadId)}/uploads/${encodeURIComponent(filename)}`),
    /**
     * Returns the uploads sorted by name, without the Markdown that was made from one of them.
     */
    uploads: (threadId: string) => listUploads(call, threadId),
    async threadFiles(threadId: string): Promise<ThreadFiles> {
      const [uploads, artifacts] = await Promise.all([
        listUploads(call, threadId),
        listArtifacts(call, threadId),
      ]);
      const others = artifacts.files.filter(({ path }) => !path.startsWith(UPLOADS));
      return { ...artifacts, files: [...uploads, ...others] };
    },
    /** Reads at most about `most` bytes from the beginning. */
    readFile: async (threadId: string, path: string, most: number): Promise<FileContent> =>
      readContent(await call('GET', artifactUrl(threadId, path)), most),
    /** Throws RequestError 409 when the file has changed or a run is active. */
    writeFile: async (threadId: string, { path, content, expected }: TextToWrite) =>
      read(
        await call('PUT', artifactUrl(threadId, path), {
          content,
          ...(expected === undefined ? {} : { expected_sha256: expected }),
        }),
        writtenSchema,
      ),
  };
}

async function listUploads(call: Call, threadId: string): Promise<readonly ThreadFile[]> {
  const { files } = await read(
    await call('GET', `${threadPath(threadId)}/uploads/list`),
    listedUploadsSchema,
  );
  const made = new Set(files.map((file) => file.markdown_file));
  return files
    .filter(({ filename }) => !made.has(filename))
    .map((file) => ({
      path: file.virtual_path,
      size: file.size,
      modifiedAt: file.modified * 1_000,
      isPresented: false,
      markdown: file.markdown_file == null ? undefined : `${UPLOADS}${file.markdown_file}`,
      isConverting: file.conversion_status === 'converting',
      conversionError: file.conversion_error ?? undefined,
    }));
}

async function listArtifacts(call: Call, threadId: string): Promise<ThreadFiles> {
  const files: ThreadFile[] = [];
  let usage: ThreadFiles['usage'];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = `limit=${PAGE_SIZE}&offset=${page * PAGE_SIZE}`;
    const response = await call('GET', `${threadPath(threadId)}/artifacts?${query}`);
    const { artifacts, total, complete, ...more } = await read(response, artifactPageSchema);
    usage = more.usage && usageOf(more.usage);
    for (const { path, size, modified_at, presented } of artifacts) {
      const modifiedAt = Date.parse(modified_at);
      files.push({
        path,
        size,
        modifiedAt,
        isPresented: presented,
        markdown: undefined,
        isConverting: false,
        conversionError: undefined,
      });
    }
    if (files.length >= total) return { files, isComplete: complete, usage };
  }
  return { files, isComplete: false, usage };
}

function usageOf({ file_limit: fileLimit, ...used }: z.output<typeof filesUsageSchema>): FilesUsage {
  return { ...used, fileLimit };
}

/** Reads at most about `most` bytes of the body and does not fetch the rest. */
export async function readContent(response: Response, most: number): Promise<FileContent> {
  const mediaType = response.headers.get('Content-Type') ?? '';
  const reader = response.body?.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isWhole = true;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length <= most) continue;
    isWhole = false;
    await reader.cancel();
    break;
  }
  return { bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), isWhole, mediaType };
}
