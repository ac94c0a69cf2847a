// The files of a thread: listed, read and written (docs/contract/files.md#artifacts).
import { z } from 'zod';
import { conflict, ServiceError } from '../../errors.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { setPageHeaders } from '../api/list-page.ts';
import { queryBoolean, queryLimit, queryOffset } from '../api/query-list.ts';
import { ok, okBytes, type RouteTable } from '../api/route-table.ts';
import { fileResponse } from '../files/file-response.ts';
import { diskUsageSchema, presentDiskUsage } from '../presenters/upload.ts';
import {
  artifactUrl,
  artifactUrlField,
  sha256Field,
  timeField,
  timestamp,
  virtualPathField,
} from '../presenters/wire-fields.ts';

interface ArtifactRouteDependencies extends Pick<Workspace, 'artifacts' | 'files' | 'diskUseOf'> {
  readonly threadStates: Pick<ThreadStateService, 'show'>;
}

const COLLECTION = '/api/threads/{thread_id}/artifacts';
const MEMBER = `${COLLECTION}/{path}`;

const downloadQuery = z.object({
  download: queryBoolean().default(false).describe('Return the file as an attachment, which browsers save'),
});
const pageQuery = z.object({
  limit: queryLimit('Files', { max: 1_000, usual: 100 }),
  offset: queryOffset('Files', Number.MAX_SAFE_INTEGER),
});
const MAX_EDIT_BYTES = 2 * 1024 * 1024;
const editSchema = z.object({
  content: z.string().meta({ maxLength: MAX_EDIT_BYTES, examples: ['# Tea and honey\n'] }),
  /** The hash of the bytes that the client has seen. Absent or null for a new file. */
  expected_sha256: z
    .string()
    .length(64)
    .regex(/^[0-9a-f]{64}$/)
    .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] })
    .optional(),
});
const listSchema = z.object({
  artifacts: z.array(
    z
      .object({
        path: virtualPathField,
        size: z.int(),
        modified_at: timeField,
        artifact_url: artifactUrlField,
        presented: z.boolean().meta({ description: 'The agent showed it to the person' }),
      })
      .meta({ id: 'Artifact' }),
  ),
  total: z.int(),
  complete: z.boolean().meta({ description: 'False when the thread has more files than are counted' }),
  usage: diskUsageSchema,
});

export function artifactRoutes(routes: RouteTable, dependencies: ArtifactRouteDependencies): void {
  mountList(routes, dependencies);
  mountFile(routes, dependencies);
}

function mountFile(routes: RouteTable, { artifacts, files }: ArtifactRouteDependencies): void {
  routes.get(MEMBER, {
    rest: 'path',
    operationId: 'readArtifact',
    errors: ['invalid', 'payload_too_large', 'range_not_satisfiable', 'insufficient_storage'],
    headers: ['Range', 'If-Range', 'If-None-Match'],
    summary: 'A file of the thread, or a member of a .skill package; at most one range of bytes',
    thread: 'read',
    query: downloadQuery,
    responses: {
      ...okBytes('The file'),
      206: { description: 'The requested range' },
      304: { description: 'The client already has it' },
    },
    handle: async (c, { query }) => {
      const file = await artifacts.open(c.var.thread, virtualPath(c.req.param('path')));
      return fileResponse(c, file, query);
    },
  });
  routes.put(MEMBER, {
    rest: 'path',
    operationId: 'writeArtifact',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Write a text file, replacing the version that the client has seen',
    thread: 'write',
    body: { kind: 'json', schema: editSchema },
    responses: ok(
      'Written',
      z.object({ path: virtualPathField, size: z.int(), sha256: sha256Field.nullable() }),
    ),
    handle: async (c, { body: { content, expected_sha256: expected = null } }) => {
      const { thread } = c.var;
      const path = virtualPath(c.req.param('path'));
      if (Buffer.byteLength(content) > MAX_EDIT_BYTES)
        throw new ServiceError('payload_too_large', 'The text is larger than 2 MiB.');
      if (thread.status === 'busy') throw conflict('A run is active on this thread. Cancel it first.');
      const { isWritten, sha256 } = await files(thread).putText(path, content, expected);
      if (!isWritten) throw conflict(changedMeanwhile(sha256));
      return c.json({ path, size: Buffer.byteLength(content), sha256 });
    },
  });
}

function changedMeanwhile(sha256: string | null): string {
  return sha256 === null
    ? 'The file no longer exists; omit expected_sha256 to write a new one.'
    : `The file has changed; its SHA-256 is now ${sha256}`;
}

function mountList(routes: RouteTable, parts: ArtifactRouteDependencies): void {
  const { artifacts, diskUseOf, threadStates } = parts;
  routes.get(COLLECTION, {
    operationId: 'listArtifacts',
    errors: ['insufficient_storage'],
    summary: 'The files of the thread, by path',
    thread: 'read',
    query: pageQuery,
    responses: ok('A page of them', listSchema),
    handle: async (c, { query: { limit, offset } }) => {
      const { thread, repositories } = c.var;
      const { files, complete } = await artifacts.list(thread);
      const shown = await threadStates.show(repositories, thread);
      const presented = new Set(z.array(z.string()).catch([]).parse(shown?.values.artifacts));
      const page = files.slice(offset, offset + limit);
      setPageHeaders(c, { offset, length: page.length, total: files.length });
      return c.json({
        artifacts: page.map(({ path, size, modifiedAt }) => ({
          path,
          size,
          modified_at: timestamp(modifiedAt),
          artifact_url: artifactUrl(thread.threadId, path),
          presented: presented.has(path),
        })),
        total: files.length,
        complete,
        usage: presentDiskUsage(await diskUseOf(thread).usage()),
      });
    },
  });
}

/** Returns the virtual path. The leading slash is optional, as in the URLs that the service returns. */
function virtualPath(path = ''): string {
  return path.startsWith('/') ? path : `/${path}`;
}
