// The files of a thread: their shapes and their addresses.
import * as z from 'zod/mini';

/** For documents: the outcome of their conversion to Markdown. */
const conversionFields = {
  conversion_status: z.optional(z.nullable(z.string())),
  conversion_error: z.optional(z.nullable(z.string())),
};

export const uploadedSchema = z.object({
  filename: z.string(),
  size: z.number(),
  /** `/mnt/user-data/uploads/...` */
  virtual_path: z.string(),
  ...conversionFields,
});
export type Uploaded = z.infer<typeof uploadedSchema>;
export const uploadResponseSchema = z.object({ files: z.array(uploadedSchema) });

export const uploadLimitsSchema = z.object({ max_file_bytes: z.number(), max_total_bytes: z.number() });

export const listedUploadsSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      size: z.number(),
      virtual_path: z.string(),
      /** Seconds since the epoch. */
      modified: z.number(),
      markdown_file: z.optional(z.nullable(z.string())),
      ...conversionFields,
    }),
  ),
});

export const filesUsageSchema = z.object({
  bytes: z.number(),
  limit: z.number(),
  files: z.number(),
  file_limit: z.number(),
});

export const artifactPageSchema = z.object({
  artifacts: z.array(
    z.object({
      /** `/mnt/user-data/...` */
      path: z.string(),
      size: z.number(),
      modified_at: z.string(),
      presented: z.boolean(),
    }),
  ),
  total: z.number(),
  complete: z.boolean(),
  usage: z.optional(filesUsageSchema),
});

export const writtenSchema = z.object({ sha256: z.nullable(z.string()) });

/** A file of a thread, wherever it came from. */
export interface ThreadFile {
  readonly path: string;
  readonly size: number;
  /** In epoch milliseconds. */
  readonly modifiedAt: number;
  /** True when the agent showed the file to the person. */
  readonly isPresented: boolean;
  /** The path of the Markdown that was made from an uploaded document. */
  readonly markdown: string | undefined;
  /** True while the Markdown of an uploaded document is being made. */
  readonly isConverting: boolean;
  /** A sentence that explains why an uploaded document has no Markdown. */
  readonly conversionError: string | undefined;
}

export interface ThreadFiles {
  /** By path. */
  readonly files: readonly ThreadFile[];
  /** False when the thread has more files than are listed. */
  readonly isComplete: boolean;
  readonly usage: FilesUsage | undefined;
}

/** The size and number of a thread's files, with their limits. Folders count as files. */
export interface FilesUsage {
  readonly bytes: number;
  readonly limit: number;
  readonly files: number;
  readonly fileLimit: number;
}

/** The beginning of a file, or the whole file. */
export interface FileContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWhole: boolean;
  readonly mediaType: string;
}

/** `path` begins with `/mnt/user-data/`. */
export function artifactUrl(threadId: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/api/threads/${encodeURIComponent(threadId)}/artifacts${encoded}`;
}

export function downloadUrl(threadId: string, path: string): string {
  return `${artifactUrl(threadId, path)}?download=true`;
}
