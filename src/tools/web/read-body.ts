// The body of a web page, unpacked, within limits for the packed and the unpacked size.
import type { IncomingMessage } from 'node:http';
import { type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { invalid } from '../../errors.ts';

export interface BodyLimits {
  /** As received over the wire. */
  readonly packedBytes: number;
  readonly bytes: number;
}

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Throws `invalid` with a sentence for the model when the body is too large or its compression is unknown.
 */
export async function readBody(
  message: IncomingMessage,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpack = UNPACKERS[encoding];
  if (unpack === undefined && encoding !== '' && encoding !== 'identity')
    throw invalid('The page uses a compression that cannot be read.');
  const sink = new Collected(limits.bytes);
  const packed = counted(limits.packedBytes);
  try {
    if (unpack === undefined) await pipeline(message, packed, sink, { signal });
    else await pipeline(message, packed, unpack(), sink, { signal });
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw invalid('The page is compressed incorrectly and cannot be read.');
    throw error;
  }
  return sink.bytes;
}

function counted(limit: number) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of source) {
      bytes += piece.length;
      if (bytes > limit) throw tooLarge(limit);
      yield piece;
    }
  };
}

class Collected extends Writable {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#length += piece.length;
    if (this.#length <= this.#limit) this.#pieces.push(piece);
    done(this.#length > this.#limit ? tooLarge(this.#limit) : null);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

function tooLarge(limit: number): Error {
  return invalid(`The page is larger than ${limit / 1_048_576} MiB and was not read.`);
}
