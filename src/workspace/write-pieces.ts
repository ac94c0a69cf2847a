// Bytes that come in small pieces, written in few large ones.
import type { FileHandle } from 'node:fs/promises';

/** Most files are small. */
const FIRST_BYTES = 65_536;
/** It stays in the cache of the processor between being gathered and being written. */
const LATER_BYTES = 524_288;

/** A piece is not looked at any more once the next one is asked for. Throws what `pieces` throws. */
export async function writePieces(handle: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const gathered = new Gathered(handle);
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      from += gathered.take(piece, from);
      if (gathered.isFull) await gathered.write();
    }
  }
  await gathered.finish();
}

/** While one large write is on its way, the next one is gathered: in two buffers, however much comes. */
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

  /** As much of the piece as there is room for; answers how much that was. */
  take(piece: Uint8Array, from: number): number {
    const taken = piece.subarray(from, from + this.#gathering.length - this.#bytes);
    this.#gathering.set(taken, this.#bytes);
    this.#bytes += taken.length;
    return taken.length;
  }

  /** Begins to write what is gathered, and goes on with the other buffer. */
  async write(): Promise<void> {
    const full = this.#gathering;
    await this.#begin();
    this.#gathering = this.#spare ?? Buffer.allocUnsafeSlow(LATER_BYTES);
    this.#spare = full.length === LATER_BYTES ? full : undefined;
    this.#bytes = 0;
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  async #begin(): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.#handle, this.#gathering.subarray(0, this.#bytes));
    // Awaited before the next write; until then nobody may be listening.
    this.#writing.catch(() => {});
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
