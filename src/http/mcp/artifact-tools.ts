// The files of threads for MCP clients: a tool to list them, a tool to read one, and resources.
import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { invalid, ServiceError } from '../../errors.ts';
import { artifactUrl, encodedPath, timestamp } from '../presenters/wire-fields.ts';
import { answered, failureSentence, jsonResponse } from './json-response.ts';
import { type McpCaller, type McpToolParts, threadIdInput, threadOfCaller } from './mcp-caller.ts';

/** Maximum size of a file in a response. */
const MAX_BYTES = 1_048_576;
const READ_ONLY = { readOnlyHint: true } as const;

/** Registers `list_artifacts`, `read_artifact` and the resources `thread://{thread_id}/{+path}`. */
export function addArtifactTools(server: McpServer, parts: McpToolParts, caller: McpCaller): void {
  const { log, artifacts } = parts;
  server.registerTool(
    'list_artifacts',
    {
      title: 'List the files of a thread',
      description: 'The files of a thread by path: uploads and files made by the agent.',
      inputSchema: z.object({
        thread_id: threadIdInput,
        limit: z.int().min(1).max(500).default(100),
        offset: z.int().min(0).max(1_000_000).default(0).describe('Files to pass over'),
      }),
      annotations: READ_ONLY,
    },
    ({ thread_id, limit, offset }) =>
      answered(log, async () => {
        const thread = await threadOfCaller(caller, thread_id, 'read');
        const { files, complete } = await artifacts.list(thread);
        const page = files.slice(offset, offset + limit).map(({ path, size, modifiedAt }) => ({
          path,
          size,
          modified_at: timestamp(modifiedAt),
          uri: uriOf(thread.threadId, path),
        }));
        return jsonResponse({ artifacts: page, total: files.length, complete });
      }),
  );
  server.registerTool(
    'read_artifact',
    {
      title: 'Read a file of a thread',
      description: 'A file of up to 1 MiB: text as text, images as images, anything else as base64.',
      inputSchema: z.object({
        thread_id: threadIdInput,
        path: z.string().min(1).max(4_096).describe('As returned by list_artifacts: /mnt/user-data/...'),
      }),
      annotations: READ_ONLY,
    },
    ({ thread_id, path }) =>
      answered(log, async () => toolResult(await readFile(parts, caller, { thread_id, path }))),
  );
  server.registerResource(
    'artifact',
    new ResourceTemplate('thread://{thread_id}/{+path}', { list: undefined }),
    { title: 'A file of a thread', description: 'The address is the `uri` that list_artifacts returns.' },
    (uri) => resourceResult(parts, caller, uri),
  );
}

interface FileAt {
  readonly thread_id: string;
  readonly path: string;
}

/** `text` is `undefined` for files that are not text. */
interface ReadFile {
  readonly uri: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly text: string | undefined;
}

/** Reads a file. Throws as `Artifacts.open` does, and `invalid` for a file that is too large. */
async function readFile(
  { artifacts }: McpToolParts,
  caller: McpCaller,
  { thread_id, path }: FileAt,
): Promise<ReadFile> {
  const thread = await threadOfCaller(caller, thread_id, 'read');
  const file = await artifacts.open(thread, path);
  if (file.size > MAX_BYTES) {
    await file.close();
    throw invalid(
      `The file has ${file.size} bytes; up to ${MAX_BYTES} are read here. Get it at ${artifactUrl(thread.threadId, path)} with the same API key.`,
    );
  }
  if (file.size === 0) await file.close();
  const bytes = file.size === 0 ? Buffer.of() : await buffer(file.read({ first: 0, last: file.size - 1 }));
  const text = file.type.kind === 'text' && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  const mediaType = file.type.mediaType.split(';', 1)[0] ?? '';
  return { uri: uriOf(thread.threadId, path), mediaType, bytes, text };
}

function toolResult({ uri, mediaType: mimeType, bytes, text }: ReadFile): CallToolResult {
  if (text !== undefined) return { content: [{ type: 'text', text }] };
  const data = bytes.toString('base64');
  if (mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] };
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: data } }] };
}

async function resourceResult(parts: McpToolParts, caller: McpCaller, uri: URL): Promise<ReadResourceResult> {
  try {
    const at = { thread_id: uri.host, path: decodedPath(uri) };
    const { mediaType: mimeType, bytes, text } = await readFile(parts, caller, at);
    const content = text === undefined ? { blob: bytes.toString('base64') } : { text };
    return { contents: [{ uri: uri.href, mimeType, ...content }] };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found')
      throw new ResourceNotFoundError(uri.href, `${error.detail}: list_artifacts lists the files.`);
    const code =
      error instanceof ServiceError ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, failureSentence(parts.log, error));
  }
}

function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw invalid('The path of the address is not percent-encoded UTF-8.');
  }
}

function uriOf(thread: string, path: string): string {
  return `thread://${thread}${encodedPath(path)}`;
}
