// Decompresses a response that the server compressed although the request did not ask for it.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A streamed response must be passed on as it arrives. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: ReadonlyMap<string, () => Transform> = new Map(
  Object.entries({
    gzip: () => createGunzip(FLUSH),
    'x-gzip': () => createGunzip(FLUSH),
    deflate: () => createInflate(FLUSH),
    br: () =>
      createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      }),
  }),
);

/**
 * Returns the decompressed body, or the message itself when it is not compressed or uses an unknown encoding.
 */
export function decompressed(message: IncomingMessage): Readable {
  const decoder = DECODERS.get(message.headers['content-encoding']?.toLowerCase() ?? '')?.();
  if (decoder === undefined) return message;
  // An error in either destroys the other.
  pipeline(message, decoder, () => undefined);
  return decoder;
}
