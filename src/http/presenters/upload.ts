// Uploaded files and disk usage, as clients see them (docs/contract/files.md#uploads).
import { extname } from 'node:path';
import { z } from 'zod';
import { userDataNames, type WorkspacePlace } from '../../workspace/paths.ts';
import type { DiskUsage } from '../../workspace/quota/disk-use.ts';
import { UPLOADS } from '../../workspace/uploads/upload-name.ts';
import type { Upload } from '../../workspace/uploads/uploads.ts';
import { artifactUrl, artifactUrlField, virtualPathField } from './wire-fields.ts';

export const uploadSchema = z.object({
  filename: z.string(),
  size: z.int(),
  path: z.string(),
  virtual_path: virtualPathField,
  artifact_url: artifactUrlField,
  markdown_file: z.string().optional(),
  markdown_path: z.string().optional(),
  markdown_virtual_path: z.string().optional(),
  markdown_artifact_url: z.string().optional(),
  conversion_error: z.string().optional(),
  /** The state of a document's conversion to Markdown. */
  conversion_status: z.enum(['converting', 'converted', 'failed']).optional(),
});

export const listedUploadSchema = uploadSchema.extend({ extension: z.string(), modified: z.number() });

export function presentUpload(place: WorkspacePlace, upload: Upload): z.output<typeof uploadSchema> {
  const { filename, size, markdown } = upload;
  return { filename, size, ...pathsOf(place, filename), ...presentMarkdown(place, markdown) };
}

function presentMarkdown(
  place: WorkspacePlace,
  markdown: Upload['markdown'],
): Partial<z.output<typeof uploadSchema>> {
  switch (markdown?.kind) {
    case undefined:
      return {};
    case 'converting':
      return { conversion_status: 'converting' };
    case 'failed':
      return { conversion_status: 'failed', conversion_error: markdown.reason };
    case 'converted': {
      const { path, virtual_path, artifact_url } = pathsOf(place, markdown.file);
      return {
        conversion_status: 'converted',
        markdown_file: markdown.file,
        markdown_path: path,
        markdown_virtual_path: virtual_path,
        markdown_artifact_url: artifact_url,
      };
    }
  }
}

export function presentListedUpload(
  place: WorkspacePlace,
  upload: Upload,
): z.output<typeof listedUploadSchema> {
  return {
    ...presentUpload(place, upload),
    extension: extname(upload.filename),
    modified: upload.modifiedMs / 1_000,
  };
}

function pathsOf(place: WorkspacePlace, filename: string) {
  const virtual = `${UPLOADS}/${filename}`;
  return {
    path: [...userDataNames(place), 'uploads', filename].join('/'),
    virtual_path: virtual,
    artifact_url: artifactUrl(place.threadId, virtual),
  };
}

export const diskUsageSchema = z
  .object({
    bytes: z
      .int()
      .meta({ description: 'The size of the files of this thread, as counted within the last minute' }),
    limit: z.int().meta({ description: 'Bytes that they may take before nothing more is written' }),
    user_bytes: z.int().nullable().meta({
      description: 'Of everything that the user has, including metadata and what is kept to undo changes',
    }),
    user_limit: z.int().nullable(),
    files: z.int().meta({ description: 'Files and folders of this thread, counted like its bytes' }),
    file_limit: z.int().meta({ description: 'How many the thread may have before nothing more is written' }),
    user_files: z.int().nullable(),
    user_file_limit: z.int().nullable(),
  })
  .meta({ id: 'DiskUsage' });

export function presentDiskUsage({ thread, user }: DiskUsage): z.output<typeof diskUsageSchema> {
  return {
    bytes: thread.used.bytes,
    limit: thread.limit.bytes,
    user_bytes: user?.used.bytes ?? null,
    user_limit: user?.limit.bytes ?? null,
    files: thread.used.entries,
    file_limit: thread.limit.entries,
    user_files: user?.used.entries ?? null,
    user_file_limit: user?.limit.entries ?? null,
  };
}
