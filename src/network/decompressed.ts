// The body of a response that the server compressed although compression was not requested.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** An answer that is streamed must come out as it comes in. */
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

/** The message itself when it is not compressed, or in an unknown way. */
export function decompressed(message: IncomingMessage): Readable {
  const decoder = DECODERS.get(message.headers['content-encoding']?.toLowerCase() ?? '')?.();
  if (decoder === undefined) return message;
  // An error of the message destroys the decoder with it, and the other way round.
  pipeline(message, decoder, () => undefined);
  return decoder;
}
