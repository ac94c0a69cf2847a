// The body of a web page, unpacked, within limits for the packed and the unpacked size.
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { atMost } from '../../at-most.ts';
import { invalid } from '../../errors.ts';

const MEBIBYTE = 1_048_576;
/** As received over the wire. */
const MAX_PACKED_BYTES = 5 * MEBIBYTE;
const MAX_BYTES = 10 * MEBIBYTE;

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map(
  Object.entries({
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
    identity: () => new PassThrough(),
  }),
);

/**
 * Throws `invalid` with a sentence for the model when the body is too large or its compression is unknown.
 */
export async function readBody(message: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpack = UNPACKERS.get(encoding || 'identity');
  if (unpack === undefined) throw invalid('The page uses a compression that cannot be read.');
  const packed = limited(MAX_PACKED_BYTES);
  try {
    return await pipeline(message, packed, unpack(), limited(MAX_BYTES), buffer, { signal });
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw invalid('The page is compressed incorrectly and cannot be read.');
    throw error;
  }
}

function limited(bytes: number) {
  const tooLarge = () => invalid(`The page is larger than ${bytes / MEBIBYTE} MiB and was not read.`);
  return (pieces: AsyncIterable<Buffer>) => atMost(pieces, bytes, tooLarge);
}
