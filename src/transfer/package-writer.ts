// Writes a zip while it is read. An entry is produced only as fast as the reader takes its bytes.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { createBreath } from '../breath.ts';

export type PackageWriter = ReturnType<typeof createPackageWriter>;

const PIECE_BYTES = 64 * 1024;
/** A compromise between speed and size. Texts gain little from higher levels. */
const LEVEL = 4;
const PRIVATE_FILE = 0o100600;

export function createPackageWriter(now: () => number) {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new TypeError('the zip is no stream that can be destroyed');
  zip.on('error', (error: Error) => output.destroy(error));
  return {
    /** The zip. When it is destroyed with an error, it is cut off, so that no reader takes it for complete. */
    output,
    /** Resolves when the entry is written. Throws when its content does, or when the reader has stopped. */
    async add<Result>(name: string, content: AsyncGenerator<string | Uint8Array, Result>) {
      const entry = measured(content);
      const input = Readable.from(entry.pieces(), { objectMode: false, highWaterMark: PIECE_BYTES });
      const giveUp = (): void => void input.destroy(new Error('the package is no longer being read'));
      if (output.destroyed) giveUp();
      output.once('close', giveUp);
      try {
        zip.addReadStream(input, name, {
          mtime: new Date(now()),
          mode: PRIVATE_FILE,
          compressionLevel: LEVEL,
        });
        await finished(input, { writable: false });
        return entry.measure();
      } finally {
        output.off('close', giveUp);
      }
    },
    /** Ends the zip. */
    end: (): void => zip.end(),
  };
}

/** Counts and hashes the content, and regroups it into pieces that are neither tiny nor large. */
function measured<Result>(content: AsyncGenerator<string | Uint8Array, Result>) {
  const hash = createHash('sha256');
  let bytes = 0;
  let returned: { readonly value: Result } | undefined;
  async function* all(): AsyncGenerator<string | Uint8Array> {
    const value = yield* content;
    returned = { value };
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    const breath = createBreath();
    let gathered: Buffer[] = [];
    let size = 0;
    for await (const next of all()) {
      for (const piece of slicesOf(Buffer.from(next))) {
        hash.update(piece);
        bytes += piece.length;
        size += piece.length;
        gathered.push(piece);
        if (size < PIECE_BYTES) continue;
        yield Buffer.concat(gathered);
        gathered = [];
        size = 0;
        await breath();
      }
    }
    if (size > 0) yield Buffer.concat(gathered);
  }
  return {
    pieces,
    measure() {
      if (returned === undefined) throw new Error('an entry of the package was cut off');
      return { bytes, sha256: hash.digest('hex'), result: returned.value };
    },
  };
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}
