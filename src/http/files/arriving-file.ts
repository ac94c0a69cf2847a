// Reads the bytes of a file in a form as they arrive. A stream's own iterator joins the buffered pieces,
// which copies each byte once more.
import type { Readable } from 'node:stream';
import { ServiceError } from '../../errors.ts';

/** Number of buffered bytes at which the sender is paused. */
const WAITING_BYTES = 262_144;

interface ArrivingOptions {
  /** True when nothing else uses the memory of the pieces. */
  readonly owned: boolean;
}

/**
 * Listens from the call on and can be read once. A piece is valid until the reader requests the next one.
 * Throws the error of the stream, as `invalid` unless it is a `ServiceError`.
 */
export function arrivingFile(stream: Readable, { owned }: ArrivingOptions): AsyncGenerator<Uint8Array> {
  const arriving = new Arriving(stream);
  return (async function* () {
    for (;;) {
      const piece = await arriving.next();
      if (piece === undefined) return;
      yield piece;
      if (owned) giveBack(piece);
    }
  })();
}

class Arriving {
  readonly #stream: Readable;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(stream: Readable) {
    this.#stream = stream;
    if (stream.destroyed) this.#fail(stream.errored);
    stream.on('data', (piece: Uint8Array) => {
      this.#waiting.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes >= WAITING_BYTES) stream.pause();
      this.#wake();
    });
    stream.once('end', () => {
      this.#ended = true;
      this.#wake();
    });
    stream.once('error', (error) => this.#fail(error));
    stream.once('close', () => this.#fail(null));
  }

  /** Returns the next piece, or `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#waiting.shift();
      if (piece !== undefined) {
        this.#bytes -= piece.length;
        return piece;
      }
      if (this.#ended) return undefined;
      if (this.#failure !== undefined) throw this.#failure;
      this.#stream.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #fail(cause: Error | null): void {
    this.#failure ??= cause instanceof ServiceError ? cause : brokenForm(cause);
    this.#wake();
  }
}

/**
 * Frees the memory immediately. Left to the garbage collector, it accumulates up to 64 MB and then costs a
 * full collection of the heap: two of them for 50 MB. A part of a larger buffer is not freed, because others
 * use that buffer too.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

export function brokenForm(cause: unknown): ServiceError {
  return new ServiceError('invalid', 'The upload was interrupted or is not a valid form.', { cause });
}
