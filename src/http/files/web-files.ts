// The built web app on disk: which paths are its files and pages, and their contents.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import mime from 'mime';

/** Only plain segments: no dot files, no empty segments, no encoding. */
const FILE_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
/** Paths that the app routes itself. All of them serve its single page. */
const PAGE_PATH =
  /^\/(?:|login|register|setup|agents|memory|schedules|tool-servers|threads\/[A-Za-z0-9_-]{1,64}|skills(?:\/[a-z0-9-]{1,64})?|settings(?:\/[a-z-]{1,32})?)$/;
/** Names that contain a content hash from the build. */
const HASHED = /^\/assets\//;
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg)/;
const MIN_COMPRESSED_BYTES = 1024;
const MAX_CACHED_BYTES = 33_554_432;

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The encoding of the bytes. */
  readonly form: FileForm;
  readonly contentType: string;
  readonly etag: string;
  /** True when a changed file would have another name, so that caches may keep this one indefinitely. */
  readonly immutable: boolean;
}

interface FoundFile {
  readonly file: string;
  readonly etag: string;
  readonly size: number;
}

/** `root` is the folder with `index.html`; it may be built while the service runs. */
export function createWebFiles(root: string | undefined) {
  const cache = new LRUCache<string, CachedFile>({ maxSize: MAX_CACHED_BYTES });
  const isPage = (path: string) => PAGE_PATH.test(path);

  async function modified(path: string): Promise<FoundFile | undefined> {
    if (root === undefined || !FILE_PATH.test(path)) return undefined;
    const file = join(root, path);
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isFile() !== true) return undefined;
    return {
      file,
      size: stats.size,
      etag: `"${stats.size.toString(36)}-${Math.trunc(stats.mtimeMs).toString(36)}"`,
    };
  }

  return {
    isPage,
    /** Whether the path is one of the app's files or pages. Pages count even before the app is built. */
    has: async (path: string) => isPage(path) || (await modified(path)) !== undefined,
    /** Returns the file, or the app's page for a page path. `undefined` when it does not exist (yet). */
    async read(path: string, { takesGzip }: { readonly takesGzip: boolean }): Promise<WebFile | undefined> {
      const filePath = isPage(path) ? '/index.html' : path;
      const found = await modified(filePath);
      if (found === undefined) return undefined;
      const { etag, size } = found;
      const contentType = contentTypeOf(filePath);
      const isWorthIt = size >= MIN_COMPRESSED_BYTES && COMPRESSIBLE.test(contentType);
      const form = takesGzip && isWorthIt ? 'gzip' : 'plain';
      return {
        bytes: await bytesOf(cache, found, form),
        form,
        contentType,
        etag,
        immutable: HASHED.test(filePath),
      };
    },
  };
}

export type WebFiles = ReturnType<typeof createWebFiles>;

function contentTypeOf(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

type FileForm = 'plain' | 'gzip';

interface CachedFile {
  /** A different value means that the file has changed. */
  readonly etag: string;
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>;
}

/** Returns the bytes to send. Reads and compresses them once. Rejects when the file cannot be read. */
function bytesOf(
  cache: LRUCache<string, CachedFile>,
  { file, etag, size }: FoundFile,
  form: FileForm,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${form} ${file}`;
  const known = cache.get(key);
  if (known?.etag === etag) return known.bytes;
  const cached = { etag, bytes: load(file, form) };
  cached.bytes.catch(() => {
    if (cache.get(key) === cached) cache.delete(key);
  });
  // The compressed size is not known yet.
  cache.set(key, cached, { size: Math.max(1, size) });
  return cached.bytes;
}

const compress = promisify(gzip);

async function load(file: string, form: FileForm): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(file);
  return Uint8Array.from(form === 'gzip' ? await compress(bytes) : bytes);
}
