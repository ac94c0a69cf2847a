// Files that people upload (docs/contract/files.md#uploads).
import { z } from 'zod';
import type { Workspace } from '../../workspace/create-workspace.ts';
import type { WorkspacePlace } from '../../workspace/paths.ts';
import { allTooLarge } from '../../workspace/uploads/upload-options.ts';
import type { Upload, Uploads } from '../../workspace/uploads/uploads.ts';
import type { AppContext } from '../api/context.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { multipartFiles } from '../files/multipart-files.ts';
import {
  diskUsageSchema,
  listedUploadSchema,
  presentDiskUsage,
  presentListedUpload,
  presentUpload,
  uploadSchema,
} from '../presenters/upload.ts';

type UploadRouteDependencies = Pick<Workspace, 'uploads' | 'diskUseOf'>;

const FIELD = 'files';
const PATH = '/api/threads/{thread_id}/uploads';
const LIMITS_PATH = '/api/uploads/limits';
/** Allowance for the parts of a form beside its files. */
const FORM_BYTES = 1_048_576;

export function uploadRoutes(routes: RouteTable, { uploads, diskUseOf }: UploadRouteDependencies): void {
  mountLimits(routes, uploads);
  mountFiles(routes, { uploads, diskUseOf });
}

function mountLimits(routes: RouteTable, { limits }: Uploads): void {
  routes.get(LIMITS_PATH, {
    operationId: 'getUploadLimits',
    summary: 'The limits of one upload request',
    responses: ok(
      'The most files, bytes per file, and bytes in total',
      z.object({ max_files: z.int(), max_file_bytes: z.int(), max_total_bytes: z.int() }),
    ),
    handle: (c) =>
      c.json({
        max_files: limits.maxFiles,
        max_file_bytes: limits.maxFileBytes,
        max_total_bytes: limits.maxTotalBytes,
      }),
  });
  // The same limits under the names that other frontends expect.
  routes.get(`${PATH}/limits`, {
    operationId: 'getThreadUploadLimits',
    summary: 'The limits of one upload request for this thread',
    thread: 'read',
    responses: ok(
      'The most files, bytes per file, and bytes in total',
      z.object({ max_files: z.int(), max_file_size: z.int(), max_total_size: z.int() }),
    ),
    handle: (c) =>
      c.json({
        max_files: limits.maxFiles,
        max_file_size: limits.maxFileBytes,
        max_total_size: limits.maxTotalBytes,
      }),
  });
}

function mountFiles(routes: RouteTable, { uploads, diskUseOf }: UploadRouteDependencies): void {
  routes.post(PATH, {
    operationId: 'uploadFiles',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Hand in files',
    thread: 'write',
    body: { kind: 'multipart', field: FIELD },
    responses: ok(
      'All of them',
      z.object({ success: z.literal(true), files: z.array(uploadSchema), message: z.string() }),
    ),
    handle: async (c) => {
      const place = placeOf(c);
      refuseTooLarge(c, uploads);
      const received = await uploads.receive(place, {
        files: multipartFiles(c, { field: FIELD, maxFiles: uploads.limits.maxFiles }),
        isThere: async () => (await c.var.repositories.threads.get(place.threadId)) !== undefined,
      });
      const files = received.map((upload) => presentUpload(place, upload));
      return c.json({ success: true, files, message: `Successfully uploaded ${files.length} file(s)` });
    },
  });
  routes.delete(`${PATH}/{filename}`, {
    operationId: 'deleteUpload',
    errors: ['invalid', 'conflict'],
    summary: 'Remove a file that was handed in, and its Markdown',
    thread: 'write',
    responses: ok('It is gone', z.object({ success: z.literal(true), message: z.string() })),
    handle: async (c) => {
      const filename = pathParam(c, 'filename');
      await uploads.remove(placeOf(c), filename);
      return c.json({ success: true, message: `Deleted ${filename}` });
    },
  });
  routes.get(`${PATH}/list`, {
    operationId: 'listUploads',
    summary: 'The uploaded files',
    thread: 'read',
    responses: ok(
      'Sorted by name, including the Markdown of documents; `count` is the number of uploads without it',
      z.object({ files: z.array(listedUploadSchema), count: z.int(), usage: diskUsageSchema }),
    ),
    handle: async (c) => {
      const place = placeOf(c);
      const listed = await uploads.list(place);
      const usage = presentDiskUsage(await diskUseOf(place).usage());
      return c.json({
        files: listed.map((upload) => presentListedUpload(place, upload)),
        count: withoutMarkdown(listed).length,
        usage,
      });
    },
  });
}

/** Returns the files that people uploaded themselves. */
function withoutMarkdown(listed: readonly Upload[]): readonly Upload[] {
  const made = new Set(
    listed.flatMap(({ markdown }) => (markdown?.kind === 'converted' ? [markdown.file] : [])),
  );
  return listed.filter(({ filename }) => !made.has(filename));
}

function placeOf(c: AppContext): WorkspacePlace {
  const { threadId, userId } = c.var.thread;
  return { threadId, userId };
}

function refuseTooLarge(c: AppContext, { limits }: Uploads): void {
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > limits.maxTotalBytes + FORM_BYTES) throw allTooLarge(limits);
}
