// Files of the web app in memory, as they are sent: read and compressed once, within a limit of bytes.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export type FileForm = 'plain' | 'gzip';

interface CachedFile {
  readonly path: string;
  /** Another one means that the file has changed. */
  readonly etag: string;
  readonly form: FileForm;
}

export interface FileCache {
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
export function createFileCache({ maxBytes }: { readonly maxBytes: number }): FileCache {
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
