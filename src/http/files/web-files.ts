// The built web app as it lies on disk: which paths are its files and pages, and what they hold.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import mime from 'mime';

/** Plain segments only: no dot file, no empty segment, nothing encoded. */
const FILE_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
/** Paths that the app routes itself; all of them are its one page. */
const PAGE_PATH =
  /^\/(?:|login|register|setup|agents|memory|schedules|tool-servers|threads\/[A-Za-z0-9_-]{1,64}|skills(?:\/[a-z0-9-]{1,64})?|settings(?:\/[a-z-]{1,32})?)$/;
/** The build puts a content hash into these names. */
const HASHED = /^\/assets\//;
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg)/;
const MIN_COMPRESSED_BYTES = 1024;
const MAX_CACHED_BYTES = 33_554_432;

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How the bytes are encoded. */
  readonly form: FileForm;
  readonly contentType: string;
  readonly etag: string;
  /** A changed file has another name, so it may be cached for ever. */
  readonly immutable: boolean;
}

export interface WebFiles {
  /** Whether the path is one of the app's files or pages; pages are, also before the app is built. */
  has(path: string): Promise<boolean>;
  isPage(path: string): boolean;
  /** The file, or the app's page for a page path; `undefined` when it does not exist (yet). */
  read(path: string, reader: { readonly takesGzip: boolean }): Promise<WebFile | undefined>;
}

interface FoundFile {
  readonly file: string;
  readonly etag: string;
  readonly size: number;
}

/** `root` is the folder with `index.html`; it may be built while the service runs. */
export function createWebFiles(root: string | undefined): WebFiles {
  const cache = createFileCache({ maxBytes: MAX_CACHED_BYTES });
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
    has: async (path) => isPage(path) || (await modified(path)) !== undefined,
    async read(path, { takesGzip }) {
      const filePath = isPage(path) ? '/index.html' : path;
      const found = await modified(filePath);
      if (found === undefined) return undefined;
      const { file, etag, size } = found;
      const contentType = contentTypeOf(filePath);
      const isWorthIt = size >= MIN_COMPRESSED_BYTES && COMPRESSIBLE.test(contentType);
      const form = takesGzip && isWorthIt ? 'gzip' : 'plain';
      return {
        bytes: await cache.bytesOf({ path: file, etag, form }),
        form,
        contentType,
        etag,
        immutable: HASHED.test(filePath),
      };
    },
  };
}

function contentTypeOf(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

type FileForm = 'plain' | 'gzip';

interface CachedFile {
  readonly path: string;
  /** Another one means that the file has changed. */
  readonly etag: string;
  readonly form: FileForm;
}

/**
 * Files of the web app in memory, as they are sent: read and compressed once, within a limit of bytes.
 */
interface FileCache {
  /** The bytes to send. Rejects when the file cannot be read. Whoever asks meanwhile gets the same ones. */
  bytesOf(file: CachedFile): Promise<Uint8Array<ArrayBuffer>>;
}

interface Entry {
  readonly etag: string;
  readonly loading: Promise<Uint8Array<ArrayBuffer>>;
  /** 0 until it is loaded. */
  bytes: number;
}

const compress = promisify(gzip);

/** Beyond `maxBytes` those are forgotten that were asked for longest ago. */
function createFileCache({ maxBytes }: { readonly maxBytes: number }): FileCache {
  const entries = new Map<string, Entry>();
  let total = 0;

  const forget = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, entry: Entry, bytes: number): void => {
    if (entries.get(key) !== entry) return;
    entry.bytes = bytes;
    total += bytes;
    for (const oldest of entries.keys()) {
      if (total <= maxBytes) return;
      forget(oldest);
    }
  };

  return {
    bytesOf(file) {
      const key = `${file.form} ${file.path}`;
      const known = entries.get(key);
      if (known?.etag === file.etag) {
        entries.delete(key);
        entries.set(key, known);
        return known.loading;
      }
      forget(key);
      const entry: Entry = { etag: file.etag, loading: load(file), bytes: 0 };
      entries.set(key, entry);
      entry.loading.then(
        ({ length }) => keep(key, entry, length),
        () => {
          if (entries.get(key) === entry) forget(key);
        },
      );
      return entry.loading;
    },
  };
}

async function load({ path, form }: CachedFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(path);
  return Uint8Array.from(form === 'gzip' ? await compress(bytes) : bytes);
}
