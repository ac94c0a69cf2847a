// Gathers bytes that arrive in small pieces into few large writes.
import type { FileHandle } from 'node:fs/promises';

/** Most files are small. */
const FIRST_BYTES = 65_536;
/** Small enough to stay in the processor's cache between being gathered and being written. */
const LATER_BYTES = 524_288;

/** Bytes, or bytes that are yet to arrive. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Does not use a piece after it requests the next one. Throws errors of `pieces`. */
export async function writePieces(handle: FileHandle, pieces: Pieces): Promise<void> {
  const gathered = new Gathered(handle);
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      from += gathered.take(piece, from);
      if (gathered.isFull) await gathered.write();
    }
  }
  await gathered.finish();
}

/** Gathers the next write while one large write is in progress: in two buffers, however much arrives. */
class Gathered {
  readonly #handle: FileHandle;
  #gathering = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #spare: Buffer<ArrayBuffer> | undefined;
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get isFull(): boolean {
    return this.#bytes === this.#gathering.length;
  }

  /** Takes as much of the piece as fits. Returns how much that was. */
  take(piece: Uint8Array, from: number): number {
    const taken = piece.subarray(from, from + this.#gathering.length - this.#bytes);
    this.#gathering.set(taken, this.#bytes);
    this.#bytes += taken.length;
    return taken.length;
  }

  /** Starts to write what is gathered, and continues with the other buffer. */
  async write(): Promise<void> {
    const full = this.#gathering;
    await this.#begin();
    this.#gathering = this.#spare ?? Buffer.allocUnsafeSlow(LATER_BYTES);
    this.#spare = full.length === LATER_BYTES ? full : undefined;
    this.#bytes = 0;
  }

  /** Writes the remaining bytes. */
  async finish(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  async #begin(): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.#handle, this.#gathering.subarray(0, this.#bytes));
    // Awaited before the next write. Without this, a rejection until then would be unhandled.
    this.#writing.catch(() => {});
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
